import * as pulumi from '@pulumi/pulumi';
import { compose } from './compose.ts';
import type { BoundInput, PipelineArgs, ProviderRoleArgs } from './provider-args.ts';

/** A role for pipelines of GitLab: for those with all that it says. */
export interface GitlabCiRoleArgs extends ProviderRoleArgs {
  /** Id of the project; binds the claim `project_id`. Defaults to any. */
  projectId?: BoundInput;
  /** Id of the namespace; binds the claim `namespace_id`. Defaults to any. */
  namespaceId?: BoundInput;
  /** Name of the project; binds the claim `project_path`. Defaults to any. */
  projectPath?: BoundInput;
  /** Name of the namespace; binds the claim `namespace_path`. Defaults to any. */
  namespacePath?: BoundInput;
  /** The ref; binds the claim `ref`. Defaults to any. */
  ref?: BoundInput;
  /** The ref type; binds the claim `ref_type`. Defaults to any. */
  refType?: BoundInput;
  /** Whether the ref is protected; binds the claim `ref_protected`. Defaults to any. */
  refProtected?: pulumi.Input<boolean>;
  /** Name of the environment; binds the claim `environment`. Defaults to any. */
  environment?: BoundInput;
  /** Whether the environment is protected; binds the claim `environment_protected`. Defaults to any. */
  environmentProtected?: pulumi.Input<boolean>;
  /** The pipeline source; binds the claim `pipeline_source`. Defaults to any. */
  pipelineSource?: BoundInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface GitlabCiArgs extends PipelineArgs {
  /** Exact issuer of the tokens. Defaults to `https://gitlab.com`. */
  issuer?: pulumi.Input<string>;
  roles?: GitlabCiRoleArgs[];
}

/** Pipelines of GitLab, set up as a JWT auth method with its roles. */
export class GitlabCi extends pulumi.ComponentResource {
  /** Mount path of the auth method. */
  readonly path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  readonly accessor: pulumi.Output<string>;

  constructor(name: string, args: GitlabCiArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:GitlabCi', name, {}, opts);
    const method = compose(this, name, 'gitlab_ci', args);
    this.path = method.path;
    this.accessor = method.accessor;
    this.registerOutputs({ path: this.path, accessor: this.accessor });
  }
}

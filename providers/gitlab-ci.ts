import * as pulumi from '@pulumi/pulumi';
import { type TextsInput, withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { PipelineArgs, ProviderRole } from './provider-args.ts';

export type { GitlabCiRole as GitlabCiRoleArgs };

/** A role for pipelines of GitLab: for those with all that it says. */
interface GitlabCiRole extends ProviderRole {
  /** Id of the project; binds the claim `project_id`. Defaults to any. */
  projectId?: TextsInput;
  /** Id of the namespace; binds the claim `namespace_id`. Defaults to any. */
  namespaceId?: TextsInput;
  /** Name of the project; binds the claim `project_path`. Defaults to any. */
  projectPath?: TextsInput;
  /** Name of the namespace; binds the claim `namespace_path`. Defaults to any. */
  namespacePath?: TextsInput;
  /** The ref; binds the claim `ref`. Defaults to any. */
  ref?: TextsInput;
  /** The ref type; binds the claim `ref_type`. Defaults to any. */
  refType?: TextsInput;
  /** Whether the ref is protected; binds the claim `ref_protected`. Defaults to any. */
  refProtected?: pulumi.Input<boolean>;
  /** Name of the environment; binds the claim `environment`. Defaults to any. */
  environment?: TextsInput;
  /** Whether the environment is protected; binds the claim `environment_protected`. Defaults to any. */
  environmentProtected?: pulumi.Input<boolean>;
  /** The pipeline source; binds the claim `pipeline_source`. Defaults to any. */
  pipelineSource?: TextsInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface GitlabCiArgs extends PipelineArgs {
  /** Exact issuer of the tokens. Defaults to `https://gitlab.com`. */
  issuer?: pulumi.Input<string>;
  /** Defaults to none. */
  roles?: GitlabCiRole[];
}

/** Pipelines of GitLab, set up as a JWT auth method with its roles. */
export class GitlabCi extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: GitlabCiArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:GitlabCi', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'gitlab_ci', args)));
  }
}

import * as pulumi from '@pulumi/pulumi';
import { compose } from './compose.ts';
import type { BoundInput, PipelineArgs, ProviderRoleArgs } from './provider-args.ts';

/** A role for jobs of Buildkite: for those with all that it says. */
export interface BuildkiteRoleArgs extends ProviderRoleArgs {
  /** Id of the pipeline; binds the claim `pipeline_id`. Defaults to any. */
  pipelineId?: BoundInput;
  /** Id of the organization; binds the claim `organization_id`. Defaults to any. */
  organizationId?: BoundInput;
  /** Name of the organization; binds the claim `organization_slug`. Defaults to any. */
  organizationSlug?: BoundInput;
  /** The pipeline, by name; binds the claim `pipeline_slug`. Defaults to any. */
  pipelineSlug?: BoundInput;
  /** Name of the branch; binds the claim `build_branch`. Defaults to any. */
  buildBranch?: BoundInput;
  /** Name of the step; binds the claim `step_key`. Defaults to any. */
  stepKey?: BoundInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface BuildkiteArgs extends PipelineArgs {
  /** Exact issuer of the tokens. Defaults to `https://agent.buildkite.com`. */
  issuer?: pulumi.Input<string>;
  roles?: BuildkiteRoleArgs[];
}

/** Jobs of Buildkite, set up as a JWT auth method with its roles. */
export class Buildkite extends pulumi.ComponentResource {
  /** Mount path of the auth method. */
  readonly path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  readonly accessor: pulumi.Output<string>;

  constructor(name: string, args: BuildkiteArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Buildkite', name, {}, opts);
    const method = compose(this, name, 'buildkite', args);
    this.path = method.path;
    this.accessor = method.accessor;
    this.registerOutputs({ path: this.path, accessor: this.accessor });
  }
}

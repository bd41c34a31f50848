import * as pulumi from '@pulumi/pulumi';
import { type TextsInput, withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { PipelineArgs, ProviderRole } from './provider-args.ts';

export type { BuildkiteRole as BuildkiteRoleArgs };

/** A role for jobs of Buildkite: for those with all that it says. */
interface BuildkiteRole extends ProviderRole {
  /** Id of the pipeline; binds the claim `pipeline_id`. Defaults to any. */
  pipelineId?: TextsInput;
  /** Id of the organization; binds the claim `organization_id`. Defaults to any. */
  organizationId?: TextsInput;
  /** Name of the organization; binds the claim `organization_slug`. Defaults to any. */
  organizationSlug?: TextsInput;
  /** The pipeline, by name; binds the claim `pipeline_slug`. Defaults to any. */
  pipelineSlug?: TextsInput;
  /** Name of the branch; binds the claim `build_branch`. Defaults to any. */
  buildBranch?: TextsInput;
  /** Name of the step; binds the claim `step_key`. Defaults to any. */
  stepKey?: TextsInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface BuildkiteArgs extends PipelineArgs {
  /** Exact issuer of the tokens. Defaults to `https://agent.buildkite.com`. */
  issuer?: pulumi.Input<string>;
  /** Defaults to none. */
  roles?: BuildkiteRole[];
}

/** Jobs of Buildkite, set up as a JWT auth method with its roles. */
export class Buildkite extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: BuildkiteArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Buildkite', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'buildkite', args)));
  }
}

import * as pulumi from '@pulumi/pulumi';
import { type TextsInput, withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { PipelineArgs, ProviderRole } from './provider-args.ts';

export type { BitbucketPipelinesRole as BitbucketPipelinesRoleArgs };

/** A role for steps of Bitbucket Pipelines: for those with all that it says. */
interface BitbucketPipelinesRole extends ProviderRole {
  /** Id of the repository; binds the claim `repositoryUuid`. Defaults to any. */
  repositoryUuid?: TextsInput;
  /** Id of the workspace; binds the claim `workspaceUuid`. Defaults to any. */
  workspaceUuid?: TextsInput;
  /** Name of the branch; binds the claim `branchName`. Defaults to any. */
  branchName?: TextsInput;
  /** Id of the environment; binds the claim `deploymentEnvironmentUuid`. Defaults to any. */
  deploymentEnvironmentUuid?: TextsInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface BitbucketPipelinesArgs extends PipelineArgs {
  /** Exact issuer of the tokens: each customer has one. */
  issuer: pulumi.Input<string>;
  /** Defaults to none. */
  roles?: BitbucketPipelinesRole[];
}

/** Steps of Bitbucket Pipelines, set up as a JWT auth method with its roles. */
export class BitbucketPipelines extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: BitbucketPipelinesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:BitbucketPipelines', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'bitbucket_pipelines', args)));
  }
}

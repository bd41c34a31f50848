import * as pulumi from '@pulumi/pulumi';
import { type TextsInput, withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { PipelineArgs, ProviderRole } from './provider-args.ts';

export type { GithubActionsRole as GithubActionsRoleArgs };

/** A role for workflows of GitHub Actions: for those with all that it says. */
interface GithubActionsRole extends ProviderRole {
  /** Id of the repository; binds the claim `repository_id`. Defaults to any. */
  repositoryId?: TextsInput;
  /** Id of the owner; binds the claim `repository_owner_id`. Defaults to any. */
  repositoryOwnerId?: TextsInput;
  /** Name of the repository; binds the claim `repository`. Defaults to any. */
  repository?: TextsInput;
  /** Name of the owner; binds the claim `repository_owner`. Defaults to any. */
  repositoryOwner?: TextsInput;
  /** The ref; binds the claim `ref`. Defaults to any. */
  ref?: TextsInput;
  /** Name of the environment; binds the claim `environment`. Defaults to any. */
  environment?: TextsInput;
  /** The event; binds the claim `event_name`. Defaults to any. */
  eventName?: TextsInput;
  /** The reusable workflow; binds the claim `job_workflow_ref`. Defaults to any. */
  jobWorkflowRef?: TextsInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface GithubActionsArgs extends PipelineArgs {
  /** Exact issuer of the tokens. Defaults to `https://token.actions.githubusercontent.com`. */
  issuer?: pulumi.Input<string>;
  /** Defaults to none. */
  roles?: GithubActionsRole[];
}

/** Workflows of GitHub Actions, set up as a JWT auth method with its roles. */
export class GithubActions extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: GithubActionsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:GithubActions', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'github_actions', args)));
  }
}

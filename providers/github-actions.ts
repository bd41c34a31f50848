import * as pulumi from '@pulumi/pulumi';
import { compose } from './compose.ts';
import type { BoundInput, PipelineArgs, ProviderRoleArgs } from './provider-args.ts';

/** A role for workflows of GitHub Actions: for those with all that it says. */
export interface GithubActionsRoleArgs extends ProviderRoleArgs {
  /** Id of the repository; binds the claim `repository_id`. Defaults to any. */
  repositoryId?: BoundInput;
  /** Id of the owner; binds the claim `repository_owner_id`. Defaults to any. */
  repositoryOwnerId?: BoundInput;
  /** Name of the repository; binds the claim `repository`. Defaults to any. */
  repository?: BoundInput;
  /** Name of the owner; binds the claim `repository_owner`. Defaults to any. */
  repositoryOwner?: BoundInput;
  /** The ref; binds the claim `ref`. Defaults to any. */
  ref?: BoundInput;
  /** Name of the environment; binds the claim `environment`. Defaults to any. */
  environment?: BoundInput;
  /** The event; binds the claim `event_name`. Defaults to any. */
  eventName?: BoundInput;
  /** The reusable workflow; binds the claim `job_workflow_ref`. Defaults to any. */
  jobWorkflowRef?: BoundInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface GithubActionsArgs extends PipelineArgs {
  /** Exact issuer of the tokens. Defaults to `https://token.actions.githubusercontent.com`. */
  issuer?: pulumi.Input<string>;
  roles?: GithubActionsRoleArgs[];
}

/** Workflows of GitHub Actions, set up as a JWT auth method with its roles. */
export class GithubActions extends pulumi.ComponentResource {
  /** Mount path of the auth method. */
  readonly path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  readonly accessor: pulumi.Output<string>;

  constructor(name: string, args: GithubActionsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:GithubActions', name, {}, opts);
    const method = compose(this, name, 'github_actions', args);
    this.path = method.path;
    this.accessor = method.accessor;
    this.registerOutputs({ path: this.path, accessor: this.accessor });
  }
}

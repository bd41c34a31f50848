import * as pulumi from '@pulumi/pulumi';
import { compose } from './compose.ts';
import type { BoundInput, PipelineArgs, ProviderRoleArgs } from './provider-args.ts';

/** A role for jobs of CircleCI: for those with all that it says. */
export interface CircleciRoleArgs extends ProviderRoleArgs {
  /** Id of the project; binds the claim `oidc.circleci.com/project-id`. Defaults to any. */
  projectId?: BoundInput;
  /** The ref; binds the claim `oidc.circleci.com/vcs-ref`. Defaults to any. */
  vcsRef?: BoundInput;
  /** The origin; binds the claim `oidc.circleci.com/vcs-origin`. Defaults to any. */
  vcsOrigin?: BoundInput;
  /** Id of the context; binds the claim `oidc.circleci.com/context-ids`. Defaults to any. */
  contextIds?: BoundInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface CircleciArgs extends PipelineArgs {
  /** Exact issuer of the tokens: each customer has one. */
  issuer: pulumi.Input<string>;
  roles?: CircleciRoleArgs[];
}

/** Jobs of CircleCI, set up as a JWT auth method with its roles. */
export class Circleci extends pulumi.ComponentResource {
  /** Mount path of the auth method. */
  readonly path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  readonly accessor: pulumi.Output<string>;

  constructor(name: string, args: CircleciArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Circleci', name, {}, opts);
    const method = compose(this, name, 'circleci', args);
    this.path = method.path;
    this.accessor = method.accessor;
    this.registerOutputs({ path: this.path, accessor: this.accessor });
  }
}

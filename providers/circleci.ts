import * as pulumi from '@pulumi/pulumi';
import { type TextsInput, withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { PipelineArgs, ProviderRole } from './provider-args.ts';

export type { CircleciRole as CircleciRoleArgs };

/** A role for jobs of CircleCI: for those with all that it says. */
interface CircleciRole extends ProviderRole {
  /** Id of the project; binds the claim `oidc.circleci.com/project-id`. Defaults to any. */
  projectId?: TextsInput;
  /** The ref; binds the claim `oidc.circleci.com/vcs-ref`. Defaults to any. */
  vcsRef?: TextsInput;
  /** The origin; binds the claim `oidc.circleci.com/vcs-origin`. Defaults to any. */
  vcsOrigin?: TextsInput;
  /** Id of the context; binds the claim `oidc.circleci.com/context-ids`. Defaults to any. */
  contextIds?: TextsInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface CircleciArgs extends PipelineArgs {
  /** Exact issuer of the tokens: each customer has one. */
  issuer: pulumi.Input<string>;
  /** Defaults to none. */
  roles?: CircleciRole[];
}

/** Jobs of CircleCI, set up as a JWT auth method with its roles. */
export class Circleci extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: CircleciArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Circleci', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'circleci', args)));
  }
}

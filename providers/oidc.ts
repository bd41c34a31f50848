import * as pulumi from '@pulumi/pulumi';
import { withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

/** Arguments: an issuer, and what its tokens carry. */
export interface OidcArgs extends OidcProviderArgs {
  /** Exact issuer of the provider; its discovery document is below it. */
  issuer: pulumi.Input<string>;
  /** Claim that names people. Defaults to `sub`. */
  userClaim?: pulumi.Input<string>;
  /** Claim that carries the groups, asked for where groups are declared. Defaults to `groups`. */
  groupsClaim?: pulumi.Input<string>;
  /** Scopes to ask for, in addition to `openid`. Defaults to `profile` and `email`. */
  scopes?: pulumi.Input<pulumi.Input<string>[]>;
  /** Audiences; an id token must carry one of them. Defaults to the client id. */
  audiences?: pulumi.Input<pulumi.Input<string>[]>;
}

/** Any OpenID Connect provider that people sign in through, set up as an OIDC auth method with its roles and groups. */
export class Oidc extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: OidcArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Oidc', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'oidc', args)));
  }
}

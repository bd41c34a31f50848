import * as pulumi from '@pulumi/pulumi';
import { withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

/** Arguments of a hosted identity platform. */
export interface HostedIdentityPlatformArgs extends OidcProviderArgs {
  /** The tenant's domain, for example `example.eu.auth0.com`. Required unless `authority` is given. */
  domain?: pulumi.Input<string>;
  /** The exact issuer. Defaults to `https://<domain>/`. */
  authority?: pulumi.Input<string>;
  /**
   * Claim with the groups. The platform drops custom claims whose name is not a URL. Required if groups are declared.
   */
  groupsClaim?: pulumi.Input<string>;
}

/**
 * Hosted identity platform (docs/inside/specification.md B-2), set up as an OIDC auth method with its roles and groups.
 */
export class HostedIdentityPlatform extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: HostedIdentityPlatformArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:HostedIdentityPlatform', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'hosted_identity_platform', args)));
  }
}

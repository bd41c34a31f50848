import * as pulumi from '@pulumi/pulumi';
import { compose } from './compose.ts';
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

/** Hosted identity platform (interface.md B-2), set up as an OIDC auth method with its roles and groups. */
export class HostedIdentityPlatform extends pulumi.ComponentResource {
  /** Mount path of the auth method. */
  readonly path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  readonly accessor: pulumi.Output<string>;

  constructor(name: string, args: HostedIdentityPlatformArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:HostedIdentityPlatform', name, {}, opts);
    ({ path: this.path, accessor: this.accessor } = compose(this, name, 'hosted_identity_platform', args));
    this.registerOutputs({ path: this.path, accessor: this.accessor });
  }
}

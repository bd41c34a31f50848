import * as pulumi from '@pulumi/pulumi';
import { compose } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

/** Arguments: a tenant's domain. */
export interface HostedIdentityPlatformArgs extends OidcProviderArgs {
  /** The tenant's domain, for example `example.eu.auth0.com`. Needed unless `authority` is given. */
  domain?: pulumi.Input<string>;
  /** The exact issuer. Defaults to `https://<domain>/`. */
  authority?: pulumi.Input<string>;
  /** Claim that carries the groups; the platform drops custom claims whose name is not a URL. Needed where groups are declared. */
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
    const method = compose(this, name, 'hosted_identity_platform', args);
    this.path = method.path;
    this.accessor = method.accessor;
    this.registerOutputs({ path: this.path, accessor: this.accessor });
  }
}

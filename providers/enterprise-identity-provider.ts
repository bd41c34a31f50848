import * as pulumi from '@pulumi/pulumi';
import { withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

/** Arguments: an organization and an authorization server. */
export interface EnterpriseIdentityProviderArgs extends OidcProviderArgs {
  /** Base URL of the organization, for example `https://example.okta.com`. */
  authority: pulumi.Input<string>;
  /**
   * The authorization server: `default`, the id of a custom one (the issuer is `<authority>/oauth2/<server>`), or `org`
   * for the organization's own (the issuer is `authority`). Defaults to `default`.
   */
  authorizationServer?: pulumi.Input<string>;
  /** Audience of the authorization server. Defaults to `api://default` for the default one, else to none. */
  audience?: pulumi.Input<string>;
}

/**
 * Enterprise identity provider (docs/inside/specification.md B-2), set up as an OIDC auth method with its roles and
 * groups.
 */
export class EnterpriseIdentityProvider extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: EnterpriseIdentityProviderArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:EnterpriseIdentityProvider', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'enterprise_identity_provider', args)));
  }
}

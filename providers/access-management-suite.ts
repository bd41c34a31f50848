import * as pulumi from '@pulumi/pulumi';
import { withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

/** Arguments of an access-management suite. */
export interface AccessManagementSuiteArgs extends OidcProviderArgs {
  /** Base URL of the suite, for example `https://am.example.com/am`; its issuer is `<authority>/oauth2`. */
  authority: pulumi.Input<string>;
  /**
   * Realm of the client, by its names below the top-level realm: `alpha`, `staff/contractors`. The issuer is then
   * `<authority>/oauth2/realms/root/realms/alpha`. Defaults to the top-level realm.
   */
  realm?: pulumi.Input<string>;
  /** The scopes of the OAuth 2.0 client, without `openid`. */
  scopes: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * Access-management suite (docs/inside/specification.md B-2), set up as an OIDC auth method with its roles and groups.
 */
export class AccessManagementSuite extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: AccessManagementSuiteArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:AccessManagementSuite', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'access_management_suite', args)));
  }
}

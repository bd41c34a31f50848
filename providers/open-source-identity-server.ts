import * as pulumi from '@pulumi/pulumi';
import { withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

/** Arguments of an open-source identity server. */
export interface OpenSourceIdentityServerArgs extends OidcProviderArgs {
  /** Base URL of the server, for example `https://id.example.com`. */
  authority: pulumi.Input<string>;
  /** The realm; the issuer is `<authority>/realms/<realm>`. */
  realm: pulumi.Input<string>;
}

/**
 * Open-source identity server (docs/inside/specification.md B-2), set up as an OIDC auth method with its roles and
 * groups.
 */
export class OpenSourceIdentityServer extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: OpenSourceIdentityServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:OpenSourceIdentityServer', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'open_source_identity_server', args)));
  }
}

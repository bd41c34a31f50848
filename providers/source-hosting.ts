import * as pulumi from '@pulumi/pulumi';
import { withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

/** Arguments of a source-hosting provider. */
export interface SourceHostingArgs extends OidcProviderArgs {
  /** Base URL of the source-hosting service. Defaults to `https://gitlab.com`. */
  authority?: pulumi.Input<string>;
}

/**
 * Source-hosting provider (docs/inside/specification.md B-2), set up as an OIDC auth method with its roles and groups.
 */
export class SourceHosting extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: SourceHostingArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:SourceHosting', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'source_hosting', args)));
  }
}

import * as pulumi from '@pulumi/pulumi';
import { compose } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

/** Arguments of a source-hosting provider. */
export interface SourceHostingArgs extends OidcProviderArgs {
  /** Base URL of the source-hosting service. Defaults to `https://gitlab.com`. */
  authority?: pulumi.Input<string>;
}

/** Source-hosting provider (interface.md B-2), set up as an OIDC auth method with its roles and groups. */
export class SourceHosting extends pulumi.ComponentResource {
  /** Mount path of the auth method. */
  readonly path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  readonly accessor: pulumi.Output<string>;

  constructor(name: string, args: SourceHostingArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:SourceHosting', name, {}, opts);
    ({ path: this.path, accessor: this.accessor } = compose(this, name, 'source_hosting', args));
    this.registerOutputs({ path: this.path, accessor: this.accessor });
  }
}

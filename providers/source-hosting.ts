import * as pulumi from '@pulumi/pulumi';
import { componentInputs } from '../components/component-inputs.ts';
import { compose, setOutputs } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

/** Arguments of a source-hosting provider. */
export interface SourceHostingArgs extends OidcProviderArgs {
  /** Base URL of the source-hosting service. Defaults to `https://gitlab.com`. */
  authority?: pulumi.Input<string>;
}

/** Source-hosting provider (interface.md B-2), set up as an OIDC auth method with its roles and groups. */
export class SourceHosting extends pulumi.ComponentResource {
  /** Mount path of the auth method. */
  declare readonly path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  declare readonly accessor: pulumi.Output<string>;
  /** Name of a role → its path in the service. */
  declare readonly roles: pulumi.Output<Record<string, string>>;
  /** Name of an external group → its id in the service. */
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: SourceHostingArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:SourceHosting', name, componentInputs(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'source_hosting', args)));
  }
}

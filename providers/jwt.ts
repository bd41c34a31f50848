import * as pulumi from '@pulumi/pulumi';
import { withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { ProviderArgs } from './provider-args.ts';

export type { JwksPair as JwksPairArgs };

/** A JWKS document. */
interface JwksPair {
  /** Its address. */
  url: pulumi.Input<string>;
  /** CA certificate to trust there. Defaults to the host's own. */
  caPem?: pulumi.Input<string>;
}

/** Arguments: an issuer, and where its keys come from: its own discovery document unless one of the others is given. */
export interface JwtArgs extends ProviderArgs {
  /** Exact issuer that a token must name. Defaults to `discoveryUrl`; otherwise it is not checked. */
  issuer?: pulumi.Input<string>;
  /** Where the discovery document is, and what it names as its issuer. Defaults to the issuer. */
  discoveryUrl?: pulumi.Input<string>;
  /** Address of the JWKS document, where there is no discovery document, or it names another issuer. */
  jwksUrl?: pulumi.Input<string>;
  /** CA certificate to trust at `discoveryUrl` or `jwksUrl`. Defaults to the host's own. */
  caPem?: pulumi.Input<string>;
  /** Addresses of several JWKS documents, each with the CA certificate to trust there. Vault 1.16 or newer. */
  jwksPairs?: pulumi.Input<pulumi.Input<JwksPair>[]>;
  /** PEM public keys; `publicKeysFromJwks` converts a JWKS document. */
  publicKeys?: pulumi.Input<pulumi.Input<string>[]>;
  /** Claim that names the workload. Defaults to `sub`. */
  userClaim?: pulumi.Input<string>;
  /** Claim that carries the groups, read where groups are declared. Defaults to `groups`. */
  groupsClaim?: pulumi.Input<string>;
  /** Audiences; a token must carry one of them, unless the role says otherwise. Defaults to none. */
  audiences?: pulumi.Input<pulumi.Input<string>[]>;
}

/** Any issuer of tokens that workloads sign in with, set up as a JWT auth method with its roles and groups. */
export class Jwt extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: JwtArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Jwt', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'jwt', args)));
  }
}

import {
  configFields,
  type Fields,
  formatDuration,
  methodPath,
  tuneFields,
  tuneSettings,
} from '@gatehouse/core/graph';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { z } from 'zod';
import { checkedInputs, type DurationInput, mapInput, withSecrets } from './inputs.ts';

/** Token lifetimes unless a role sets its own, and whether the method is listed. */
export interface Tune {
  /** Duration, for example `1h`; or seconds. Defaults to the service's own. */
  defaultLeaseTtl?: DurationInput;
  /** Duration, for example `24h`; or seconds. Defaults to the service's own. */
  maxLeaseTtl?: DurationInput;
  /** `unauth` lists the method on the sign-in page. Defaults to `hidden`. */
  listingVisibility?: pulumi.Input<string>;
  /** `default-service`, `default-batch`, `service` or `batch`. Defaults to `default-service`. */
  tokenType?: pulumi.Input<string>;
}

/** Arguments of an auth method (docs/inside/specification.md B1; docs/inside/measured/sign-in.md#fields). */
export interface AuthMethodArgs {
  /** Mount path below `auth/`. */
  path: pulumi.Input<string>;
  /** `oidc` or `jwt`. A change replaces the mount and every role. */
  type: pulumi.Input<string>;
  /** Namespace below the plugin's own. A change replaces it. Defaults to the plugin's own. */
  namespace?: pulumi.Input<string>;
  /** Defaults to none. */
  description?: pulumi.Input<string>;
  /** Issuer of the provider, without the well-known suffix. Exactly one key source is required. */
  oidcDiscoveryUrl?: pulumi.Input<string>;
  /** CA certificate to trust when contacting the discovery URL. Defaults to the host's own. */
  oidcDiscoveryCaPem?: pulumi.Input<string>;
  /** Client id that the provider issued; required for sign-in by browser. */
  oidcClientId?: pulumi.Input<string>;
  /** Client secret that the provider issued. Kept secret in state. */
  oidcClientSecret?: pulumi.Input<string>;
  /** `query` or `form_post`. Defaults to `query`. */
  oidcResponseMode?: pulumi.Input<string>;
  /** `code` and `id_token`. Defaults to `code`. */
  oidcResponseTypes?: pulumi.Input<pulumi.Input<string>[]>;
  /** Address of a JWKS document. */
  jwksUrl?: pulumi.Input<string>;
  /** CA certificate to trust when contacting the JWKS document. Defaults to the host's own. */
  jwksCaPem?: pulumi.Input<string>;
  /** Addresses of JWKS documents (`jwks_url`), each with the CA certificate to trust (`jwks_ca_pem`). */
  jwksPairs?: pulumi.Input<pulumi.Input<Record<string, pulumi.Input<string>>>[]>;
  /** PEM public keys that validate tokens. */
  jwtValidationPubkeys?: pulumi.Input<pulumi.Input<string>[]>;
  /** The issuer that a token must have. Defaults to any: it is not checked. */
  boundIssuer?: pulumi.Input<string>;
  /**
   * Accepted signing algorithms. Defaults to RS256 for sign-ins with a browser, and to any algorithm of the keys for
   * JWTs.
   */
  jwtSupportedAlgs?: pulumi.Input<pulumi.Input<string>[]>;
  /** Role used when a sign-in names none. Defaults to none. */
  defaultRole?: pulumi.Input<string>;
  /**
   * Settings for one kind of provider, as on the wire (docs/inside/specification.md B3). Wrap a key in it as a secret:
   * the official resource does not mark it. Defaults to none.
   */
  providerConfig?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Whether the OIDC state includes the namespace. Defaults to true. */
  namespaceInState?: pulumi.Input<boolean>;
  /** Defaults to the service's own. */
  tune?: pulumi.Input<Tune>;
}

/** An auth method: its mount, configuration and tuning. Roles are separate resources that take its `path`. */
export class AuthMethod extends pulumi.ComponentResource {
  /** Mount path below `auth/`. */
  readonly path: pulumi.Output<string>;
  /** The mount's accessor, which group aliases refer to. */
  readonly accessor: pulumi.Output<string>;

  /** @param inputs what it has in state. Defaults to its arguments; one in a provider has none, as the provider has its own. */
  constructor(
    name: string,
    args: AuthMethodArgs,
    opts?: pulumi.ComponentResourceOptions,
    inputs = withSecrets(args),
  ) {
    super('gatehouse:index:AuthMethod', name, inputs, opts);
    const { tune, ...config } = checkedInputs(fields, args);
    const mount = new vault.jwt.AuthBackend(
      `${name}-mount`,
      { ...asKept(config), tune: mapInput(tune, officialTune) },
      // Two mounts cannot share a path, so delete the old one first; its roles are deleted with it and recreated.
      { parent: this, deleteBeforeReplace: true },
    );
    // Not the mount's id: Pulumi keeps a resource's id on update, and a path change is an update.
    this.path = pulumi.interpolate`${mount.path}`;
    this.accessor = mount.accessor;
    this.registerOutputs({ path: this.path, accessor: this.accessor });
  }
}

/** As a service takes them: settings for one kind of provider are texts there, and a secret has no form. */
const { providerConfig: _, oidcClientSecret: __, ...ofConfig } = configFields;
const fields = {
  ...ofConfig,
  path: { schema: z.string().min(1), check: methodPath },
  tune: { schema: tuneSettings },
};

/**
 * Arguments in the form of the field table: PEM texts without blanks around them. Services keep public keys so, and the
 * official resource would change them back at every `up`.
 */
function asKept<Args extends object>(args: Args): Args {
  const table: Fields = configFields;
  const kept = Object.entries(args).map(([name, value]) => {
    const canonical = table[name]?.canonical;
    if (canonical === undefined || value === undefined) return [name, value];
    return [name, mapInput(value, (plain) => plain && canonical(plain as never))];
  });
  return Object.fromEntries(kept) as Args;
}

/** A whole tuning, as an update of the official resource leaves what is not given: docs/engines.md#each-field. */
function officialTune(tune: pulumi.Unwrap<Tune> = {}): vault.types.input.jwt.AuthBackendTune {
  return {
    defaultLeaseTtl: durationText(tune.defaultLeaseTtl) ?? tuneFields.defaultLeaseTtl.reset,
    maxLeaseTtl: durationText(tune.maxLeaseTtl) ?? tuneFields.maxLeaseTtl.reset,
    listingVisibility: tune.listingVisibility ?? tuneFields.listingVisibility.default,
    tokenType: tune.tokenType ?? tuneFields.tokenType.default,
  };
}

/** The plugin takes durations of Go, which has no days. */
function durationText(duration: string | number | undefined): string | undefined {
  const text = typeof duration === 'number' ? formatDuration(duration) : duration;
  return text?.replace(/^(\d+)d(?:(\d+)h)?/, (_, days, hours = 0) => `${Number(days) * 24 + Number(hours)}h`);
}

import type * as pulumi from '@pulumi/pulumi';
import type { RoleArgs } from '../components/role.ts';

/** The secrets service in which a provider is set up. */
export interface ServiceArgs {
  /** Address of the service, for example `https://secrets.example.com:8200`. */
  address: pulumi.Input<string>;
  /** Address at which people reach the service's pages. Defaults to `address`. */
  uiAddress?: pulumi.Input<string>;
  /** Address at which people reach the pages of `gatehouse serve`: roles allow signing in there. Defaults to none. */
  platformAddress?: pulumi.Input<string>;
  /** Which spellings are sent: `vault` or `neutral`. Defaults to `vault`. */
  dialect?: pulumi.Input<string>;
}

/** An external group of a provider. */
export interface GroupArgs {
  /** Name of the group in the secrets service. Plain: it names the resource. */
  name: string;
  /** Policies of the group's members. Defaults to none. */
  policies?: pulumi.Input<pulumi.Input<string>[]>;
  /** The provider's identifier of the group. Defaults to none: nobody signs in to it. */
  alias?: pulumi.Input<string>;
  /** Defaults to none. */
  metadata?: pulumi.Input<Record<string, pulumi.Input<string>>>;
}

/** A role of a provider. Fields that are left out come from the provider's kind. */
export interface ProviderRoleArgs extends Partial<Omit<RoleArgs, 'method' | 'name' | 'roleType'>> {
  /** Name of the role, lower case. Plain: it names the resource. */
  name: string;
}

/** Arguments of every provider. */
export interface ProviderArgs {
  service: ServiceArgs;
  /** Mount path of the auth method. Defaults to the component's name. */
  path?: pulumi.Input<string>;
  /** Defaults to none. */
  description?: pulumi.Input<string>;
  /** Role used when a sign-in names none. Defaults to none. */
  defaultRole?: pulumi.Input<string>;
  /** How long tokens live, in seconds, and who sees the method. Defaults to the service's own. */
  tune?: pulumi.Input<ProviderTuneArgs>;
  /** Signing algorithms of the tokens. Defaults to the kind's own, or else to those of the service. */
  jwtSupportedAlgs?: pulumi.Input<pulumi.Input<string>[]>;
  /** Configuration of the auth method that takes precedence over the kind's. Defaults to none. */
  config?: pulumi.Input<ProviderConfigArgs>;
  /** Defaults to none. */
  roles?: ProviderRoleArgs[];
  /** Defaults to none. */
  groups?: GroupArgs[];
}

/** Configuration of a provider's auth method that its kind would set otherwise, or not at all. */
export interface ProviderConfigArgs {
  /** CA certificate to trust when contacting the discovery URL. Defaults to the system's. */
  oidcDiscoveryCaPem?: pulumi.Input<string>;
  /** `code`, `id_token`. Defaults to `code`. */
  oidcResponseTypes?: pulumi.Input<pulumi.Input<string>[]>;
  /** Signing algorithms that are accepted. Defaults to RS256. */
  jwtSupportedAlgs?: pulumi.Input<pulumi.Input<string>[]>;
  /** The issuer that a token must carry. Defaults to the discovery document's. */
  boundIssuer?: pulumi.Input<string>;
  /** Whether the namespace travels in the OIDC state. Defaults to true. */
  namespaceInState?: pulumi.Input<boolean>;
}

/** Tuning of a provider's auth method. */
export interface ProviderTuneArgs {
  /** Seconds, or a duration such as `1h`. Defaults to the service's own. */
  defaultLeaseTtl?: pulumi.Input<string | number>;
  /** Seconds, or a duration such as `24h`. Defaults to the service's own. */
  maxLeaseTtl?: pulumi.Input<string | number>;
  /** `unauth` lists the method on the sign-in page. Defaults to `hidden`. */
  listingVisibility?: pulumi.Input<string>;
  /** `default-service`, `default-batch`, `service` or `batch`. Defaults to `default-service`. */
  tokenType?: pulumi.Input<string>;
}

/** One value of which a claim must have, or several. */
export type BoundInput = pulumi.Input<string> | pulumi.Input<pulumi.Input<string>[]>;

/** Arguments of every provider whose jobs sign in. */
export interface PipelineArgs extends ProviderArgs {
  /** CA certificate to trust when contacting the issuer. Defaults to the host's own. */
  caPem?: pulumi.Input<string>;
  /** Audience that jobs ask their tokens for. */
  audience: pulumi.Input<string>;
}

/** Arguments of every provider for people. */
export interface OidcProviderArgs extends ProviderArgs {
  /** Client (application) id that the provider issued. */
  clientId: pulumi.Input<string>;
  /** Client secret that the provider issued. Kept secret in state. */
  clientSecret: pulumi.Input<string>;
  /** CA certificate to trust when contacting the provider. Defaults to the host's own. */
  caPem?: pulumi.Input<string>;
  /** `query` or `form_post`. Defaults to `query`. */
  oidcResponseMode?: pulumi.Input<string>;
}

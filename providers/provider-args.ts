import type * as pulumi from '@pulumi/pulumi';
import type { Tune } from '../components/auth-method.ts';
import type { RoleSettings } from '../components/role.ts';

/** The secrets service in which a provider is set up. */
export interface Service {
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
export interface Group {
  /** Name of the group in the secrets service. Plain: it names the resource. */
  name: string;
  /** Policies of the group's members. Defaults to none. */
  policies?: pulumi.Input<pulumi.Input<string>[]>;
  /** The provider's identifier of the group. Defaults to none: no one signs in to it. */
  alias?: pulumi.Input<string>;
  /** Defaults to none. */
  metadata?: pulumi.Input<Record<string, pulumi.Input<string>>>;
}

/** A role of a provider. Fields that are left out come from the provider's kind. */
export interface ProviderRole extends RoleSettings {
  /** Name of the role, lower case. Plain: it names the resource. */
  name: string;
  /** Claim that names the person or workload. Defaults to the kind's. */
  userClaim?: pulumi.Input<string>;
}

/** Arguments of every provider. */
export interface ProviderArgs {
  /** The secrets service. */
  service: Service;
  /** Mount path of the auth method. Defaults to the component's name. */
  path?: pulumi.Input<string>;
  /** Namespace of all of it, below the plugin's own. A change makes it anew. Defaults to the plugin's own. */
  namespace?: pulumi.Input<string>;
  /** Defaults to none. */
  description?: pulumi.Input<string>;
  /** Role used when a sign-in names none. Defaults to none. */
  defaultRole?: pulumi.Input<string>;
  /** How long tokens live, and who sees the method. Defaults to the service's own. */
  tune?: pulumi.Input<Tune>;
  /** Signing algorithms of the tokens. Defaults to the kind's own, or else to those of the service. */
  jwtSupportedAlgs?: pulumi.Input<pulumi.Input<string>[]>;
  /** Configuration of the auth method that takes precedence over the kind's. Defaults to none. */
  config?: pulumi.Input<ProviderConfig>;
  /** Defaults to none. */
  roles?: ProviderRole[];
  /** Defaults to none. */
  groups?: Group[];
}

/** Configuration of a provider's auth method that its kind would set otherwise, or not at all. */
export interface ProviderConfig {
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

import type { AuthMethod, MethodConfig } from '@gatehouse/core/graph';
import { type DocumentSource, readDiscovery, readJwks } from '@gatehouse/service-client';
import type { JWK } from 'jose';

/** What the provider of an auth method publishes. Each document is read once, when it is first asked for. */
export class ProviderDocuments {
  /** Whether the configuration names a discovery document. */
  readonly hasDiscovery: boolean;
  /** Configured place of the keys. Empty where the discovery document names it. */
  readonly configuredPlaces: DocumentSource[];
  readonly #issuer: DocumentSource;
  #discovery: ReturnType<typeof readDiscovery> | undefined;
  readonly #keys = new Map<string, Promise<JWK[]>>();

  constructor({ oidcDiscoveryUrl, oidcDiscoveryCaPem, jwksUrl, jwksCaPem, jwksPairs = [] }: MethodConfig) {
    this.#issuer = { url: oidcDiscoveryUrl ?? '', caPem: oidcDiscoveryCaPem };
    this.hasDiscovery = Boolean(oidcDiscoveryUrl);
    this.configuredPlaces = [
      ...(jwksUrl ? [{ url: jwksUrl, caPem: jwksCaPem }] : []),
      ...jwksPairs.map((pair) => ({ url: pair['jwks_url'] ?? '', caPem: pair['jwks_ca_pem'] })),
    ];
  }

  /** The issuer's configured URL; empty without one. */
  get discoveryUrl(): string {
    return this.#issuer.url;
  }

  /** @throws DiscoveryError */
  discovery(): ReturnType<typeof readDiscovery> {
    this.#discovery ??= readDiscovery(this.#issuer);
    return this.#discovery;
  }

  /** Where the keys are. @throws DiscoveryError */
  async keyPlaces(): Promise<DocumentSource[]> {
    if (this.configuredPlaces.length > 0) return this.configuredPlaces;
    return [{ ...this.#issuer, url: (await this.discovery()).document.jwks_uri }];
  }

  /** @throws DiscoveryError */
  keys(place: DocumentSource): Promise<JWK[]> {
    const name = `${place.url} ${place.caPem ?? ''}`;
    const keys = this.#keys.get(name) ?? readJwks(place).then((read) => read.keys);
    this.#keys.set(name, keys);
    return keys;
  }
}

/** By the path of the method. */
export type DocumentsByPath = ReadonlyMap<string, ProviderDocuments>;

/** The documents of all methods whose keys are published. */
export function documentsOf({ methods }: { methods: AuthMethod[] }): DocumentsByPath {
  const all = methods.map(({ path, config }) => [path, new ProviderDocuments(config)] as const);
  return new Map(
    all.filter(([, { hasDiscovery, configuredPlaces }]) => hasDiscovery || configuredPlaces.length > 0),
  );
}

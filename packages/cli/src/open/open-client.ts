import type { ServiceSettings } from '@gatehouse/core/environment';
import { GatehouseError } from '@gatehouse/core/values';
import { ServiceClient, tlsOptions } from '@gatehouse/service-client';

/**
 * Connections for reading a whole set-up: its hundreds of reads wait for the network, not for the service. On loopback they
 * are as fast as sixteen (packages/bench/README.md).
 */
export const readingConnections = 64;

/**
 * A client of an environment's secrets service, in the root namespace, with the token of `VAULT_TOKEN`.
 *
 * @param maxConnections defaults to the client's own
 * @throws GatehouseError `token_missing`, `token_invalid`, `ca_file_unreadable`
 */
export function openClient(
  { address, dialect }: ServiceSettings,
  env: NodeJS.ProcessEnv,
  maxConnections?: number,
): ServiceClient {
  const token = env['VAULT_TOKEN'];
  if (!token) {
    throw new GatehouseError('token_missing');
  }
  return new ServiceClient({
    address,
    dialect,
    token,
    maxConnections,
    ...tlsOptions(env),
    sharesReads: true,
  });
}

/** A client for reading the environment's namespace. The caller closes it. */
export function openNamespaceClient(service: ServiceSettings, env: NodeJS.ProcessEnv): ServiceClient {
  return openClient(service, env, readingConnections).with({ namespace: service.namespace });
}

/** A client without a token in the environment's namespace, for signing in. The caller closes it. */
export function openAnonymousClient(
  { address, dialect, namespace }: ServiceSettings,
  env: NodeJS.ProcessEnv,
): ServiceClient {
  return new ServiceClient({ address, dialect, namespace, ...tlsOptions(env) });
}

/** Where a secrets service is that no stack names. */
interface UnnamedService {
  /** Defaults to `VAULT_ADDR`. */
  address?: string;
  /** Defaults to `VAULT_NAMESPACE`, or the root namespace. */
  namespace?: string;
}

/**
 * A client without a token, for signing in. It never retries: a provider's answer can be used only once.
 *
 * @throws GatehouseError `address_missing`, `address_invalid`, `ca_file_unreadable`
 */
export function openService(options: UnnamedService, env: NodeJS.ProcessEnv): ServiceClient {
  const address = options.address || env['VAULT_ADDR'];
  const namespace = options.namespace || env['VAULT_NAMESPACE'] || undefined;
  if (address) return new ServiceClient({ address, namespace, ...tlsOptions(env), maxRetries: 0 });
  throw new GatehouseError('address_missing.option');
}

import { ServiceClient } from '../client/service-client.ts';
import { tlsOptions } from '../client/tls-options.ts';
import { GatehouseError } from '../core/model/values/errors.ts';

/** Which secrets service, where no stack says so. */
export interface ServiceOptions {
  /** Defaults to `VAULT_ADDR`. */
  address?: string;
  /** Defaults to `VAULT_NAMESPACE`, or the root namespace. */
  namespace?: string;
}

/**
 * A client without a token, for one who is about to sign in. Nothing is sent twice: what a provider answers serves once.
 *
 * @throws GatehouseError `address_missing`, `address_invalid`, `ca_file_unreadable`
 */
export function openService(options: ServiceOptions, env: NodeJS.ProcessEnv): ServiceClient {
  const address = options.address || env['VAULT_ADDR'];
  const namespace = options.namespace || env['VAULT_NAMESPACE'];
  if (address) {
    return new ServiceClient({
      address,
      ...(namespace ? { namespace } : {}),
      ...tlsOptions(env),
      maxRetries: 0,
    });
  }
  throw new GatehouseError({
    code: 'address_missing',
    what: 'no secrets service was named',
    fix: 'Give --address, or set VAULT_ADDR.',
  });
}

import { readFileSync } from 'node:fs';
import { GatehouseError } from '@gatehouse/core/values';
import type { ServiceClientOptions } from './service-client.ts';

/** How to check the service's certificate, by `VAULT_CACERT`, `VAULT_TLS_SERVER_NAME` and `VAULT_SKIP_VERIFY`. */
export function tlsOptions(
  env: NodeJS.ProcessEnv,
): Pick<ServiceClientOptions, 'caPem' | 'serverName' | 'verifyCertificate'> {
  const file = env['VAULT_CACERT'];
  return {
    caPem: file ? readCaFile(file) : undefined,
    serverName: env['VAULT_TLS_SERVER_NAME'],
    verifyCertificate: !/^(1|t|true)$/i.test(env['VAULT_SKIP_VERIFY'] ?? ''),
  };
}

/** @throws GatehouseError `ca_file_unreadable` */
/** Reads the CA certificates of a file. */
export function readCaFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new GatehouseError('ca_file_unreadable', { given: file, cause });
  }
}

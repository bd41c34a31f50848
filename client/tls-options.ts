import { readFileSync } from 'node:fs';
import { GatehouseError } from '../core/model/values/errors.ts';
import type { ServiceClientOptions } from './service-client.ts';

/** How a service's certificate is checked, as `VAULT_CACERT`, `VAULT_TLS_SERVER_NAME` and `VAULT_SKIP_VERIFY` say. */
export function tlsOptions(
  environment: Readonly<Record<string, string | undefined>>,
): Pick<ServiceClientOptions, 'caPem' | 'serverName' | 'verifyCertificate'> {
  const file = environment['VAULT_CACERT'];
  const serverName = environment['VAULT_TLS_SERVER_NAME'];
  return {
    ...(file ? { caPem: readCaFile(file) } : {}),
    ...(serverName ? { serverName } : {}),
    verifyCertificate: !/^(1|t|true)$/i.test(environment['VAULT_SKIP_VERIFY'] ?? ''),
  };
}

/** @throws GatehouseError `ca_file_unreadable` */
export function readCaFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new GatehouseError({
      code: 'ca_file_unreadable',
      what: 'The CA certificate file cannot be read.',
      given: file,
      fix: 'Check caCertFile or VAULT_CACERT.',
      cause,
    });
  }
}

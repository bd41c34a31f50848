import type { ServiceSettings } from '@gatehouse/core/environment';
import { hashed } from '@gatehouse/core/usage';
import { GatehouseError } from '@gatehouse/core/values';
import { openClient } from '../open/open-client.ts';

/** Most texts that a device is asked for: policies of people have dozens. */
const most = 5_000;

/**
 * Asks an audit device of a service for what it makes of texts (`sys/audit-hash`, which only the root namespace has). Texts
 * beyond the first 5,000 stay unknown.
 *
 * @throws GatehouseError `audit_hash_refused`
 */
export async function auditHashes(
  device: string,
  service: ServiceSettings,
  env: NodeJS.ProcessEnv,
  texts: Iterable<string>,
): Promise<Map<string, string>> {
  const client = openClient(service, env);
  const path = `sys/audit-hash/${device.replace(/\/$/, '')}`;
  const hashes = new Map<string, string>();
  try {
    for (const input of [...texts].slice(0, most)) {
      const hash = (await client.put(path, { input })).data['hash'];
      // A device without a salt of its own writes texts as they are.
      if (typeof hash === 'string' && hash.startsWith(hashed)) hashes.set(input, hash);
    }
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    throw new GatehouseError('audit_hash_refused', {
      given: device,
      cause: error,
      values: { reason: error.parts.what },
    });
  } finally {
    client.close();
  }
  return hashes;
}

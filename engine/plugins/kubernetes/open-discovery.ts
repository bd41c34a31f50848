import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterClient } from '../../../client/cluster-client.ts';
import type { ClusterAccess } from '../../../client/kubeconfig.ts';
import { isPropertyMap, type PropertyMap } from '../../property-value.ts';

/** Each API server of a cluster learns of a binding a moment after one of them took it. */
const patienceMs = 5_000;

/**
 * Waits until a binding that opens the issuer's discovery documents to everyone does so: what comes next is the secrets
 * service, which reads them. A cluster that takes no callers without credentials never does; the service will say so.
 */
export async function untilDiscoveryIsOpen(
  { roleRef, subjects }: PropertyMap,
  access: ClusterAccess,
): Promise<void> {
  const role = isPropertyMap(roleRef) ? roleRef['name'] : undefined;
  const everyone = (subject: unknown) =>
    isPropertyMap(subject as PropertyMap) && (subject as PropertyMap)['name'] === 'system:unauthenticated';
  if (role !== 'system:service-account-issuer-discovery') return;
  if (!Array.isArray(subjects) || !subjects.some(everyone)) return;
  const anybody = new ClusterClient({ ...access, token: undefined, clientCertificate: undefined });
  try {
    for (const over = Date.now() + patienceMs; Date.now() < over; await sleep(50)) {
      const document = await anybody.get('/.well-known/openid-configuration').catch(() => undefined);
      if (document !== undefined) return;
    }
  } finally {
    anybody.close();
  }
}

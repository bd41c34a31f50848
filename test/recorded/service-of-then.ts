import { ServiceClient } from '../../client/service-client.ts';
import { drift } from '../../scripts/recording/runs.ts';
import { startIssuers } from '../harness/doubles/issuers.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { Names } from './names.ts';

/**
 * An embedded service and issuers in the place of those that were recorded, and what happened to the service by hand.
 */
export async function startServiceOfThen() {
  const service = await startEmbeddedService();
  const issuers = await startIssuers();
  return {
    token: service.token,
    /** Of the secrets service and the identity provider, now. */
    addresses: { service: service.address, identity: issuers.address },
    names: new Names({
      'http://127.0.0.1:18900': service.address,
      'http://127.0.0.1:18960': issuers.address,
    }),

    /** What was done by hand between `up-update` and `preview-refresh-drift`. */
    async drift(): Promise<void> {
      const client = new ServiceClient(service);
      await drift(client);
      client.close();
    },

    async close(): Promise<void> {
      await issuers.close();
      await service.close();
    },
  };
}

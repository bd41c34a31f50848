import { GatehouseError } from '@gatehouse/core/values';
import { ServiceClient, tlsOptions } from '@gatehouse/service-client';

/** Milliseconds without an answer after which a service counts as not reachable. */
const patienceMs = 5_000;

export interface ServiceAnswers {
  address: string;
  reachable: boolean;
  /** Its version and whether it is sealed, or the code of what is wrong. */
  says: string;
}

/** Asks a secrets service for its version, without a token. */
export async function askService(address: string, env: NodeJS.ProcessEnv): Promise<ServiceAnswers> {
  try {
    const client = new ServiceClient({
      address,
      maxRetries: 0,
      timeoutMs: patienceMs,
      ...tlsOptions(env),
    });
    try {
      const status = await client.status();
      const sealed = status['sealed'] === true ? ', sealed' : '';
      return { address, reachable: true, says: `version ${String(status['version'])}${sealed}` };
    } finally {
      client.close();
    }
  } catch (error) {
    const says = error instanceof GatehouseError ? error.code : 'failed';
    return { address, reachable: !['service_unreachable', 'failed'].includes(says), says };
  }
}

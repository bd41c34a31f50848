import {
  type StartSecretsServiceArgs,
  startSecretsService,
} from '../../packages/secrets-service/src/server.ts';
import { MemoryStorage } from './memory-storage.ts';
import { timedStart } from './real-parts.ts';

/** Root token of every such service. */
export const rootToken = 'root-of-the-test';

/** Starts an embedded secrets service of the test's own, in memory unless a storage is given. The test closes it. */
export async function startEmbeddedService(args: Partial<Omit<StartSecretsServiceArgs, 'rootToken'>> = {}) {
  const storage = new MemoryStorage();
  const { address, close } = await timedStart('embedded service', () =>
    startSecretsService({ storage, ...args, rootToken }),
  );
  return { address, token: rootToken, close };
}

import { startSecretsService } from '../../../services/secrets/server.ts';
import { MemoryStorage } from '../../../services/secrets/storage/memory.ts';
import type { Storage } from '../../../services/secrets/storage/storage.ts';

/** Root token of every such service. */
export const rootToken = 'root-of-the-test';

/** Starts an embedded secrets service of the test's own, in memory unless a storage is given. The test closes it. */
export async function startEmbeddedService(args: { now?: () => bigint; storage?: Storage } = {}) {
  const { address, close } = await startSecretsService({
    storage: args.storage ?? new MemoryStorage(),
    now: args.now,
    rootToken,
  });
  return { address, token: rootToken, close };
}

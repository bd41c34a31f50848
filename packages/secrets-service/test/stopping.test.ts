import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { write } from '../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { MemoryStorage } from '../../../test/harness/memory-storage.ts';
import { servingEachTest } from '../../../test/harness/serving.ts';
import { startSecretsService } from '../src/server.ts';

describe('stopping', () => {
  const serve = servingEachTest();

  test('answers what is under way, refuses what comes, and closes the storage last', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const keys = createServer(async (_, response) => {
      await held;
      response.end('{"keys":[]}');
    });
    const jwks_url = await serve(() => {}, keys);
    const events: string[] = [];
    const storage = new MemoryStorage();
    storage.close = () => void events.push('storage closed');
    const server = await startEmbeddedService({ storage });
    await write(server, 'sys/auth/jwt', { type: 'jwt' });

    const reached = once(keys, 'request');
    const writing = write(server, 'auth/jwt/config', { jwks_url }).then(() => events.push('answered'));
    await reached;
    const closing = server.close();
    await sleep(50);
    await expect(fetch(`${server.address}/v1/sys/init`)).rejects.toThrow();
    expect(events).toEqual([]);
    release();
    await Promise.all([writing, closing]);
    expect(events).toEqual(['answered', 'storage closed']);
  });

  test('what does not end is cut off in time', async () => {
    const keys = createServer(() => {});
    const jwks_url = await serve(() => {}, keys);
    const server = await startSecretsService({
      storage: new MemoryStorage(),
      rootToken: 'root',
      limits: { stopMs: 50 },
    });
    await write({ ...server, token: 'root' }, 'sys/auth/jwt', { type: 'jwt' });
    const reached = once(keys, 'request');
    const writing = write({ ...server, token: 'root' }, 'auth/jwt/config', { jwks_url });
    const failed = expect(writing).rejects.toThrow();
    await reached;
    await server.close();
    await failed;
  });
});

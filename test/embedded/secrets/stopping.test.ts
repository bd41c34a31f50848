import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { startSecretsService } from '../../../embedded/secrets/server.ts';
import { write } from '../../harness/ask.ts';
import { startEmbeddedService } from '../../harness/embedded-service.ts';
import { MemoryStorage } from '../../harness/memory-storage.ts';

describe('stopping', () => {
  test('answers what is under way, refuses what comes, and closes the storage last', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const keys = createServer(async (_, response) => {
      await held;
      response.end('{"keys":[]}');
    });
    keys.listen(0, '127.0.0.1');
    await once(keys, 'listening');
    const url = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`;
    const events: string[] = [];
    const storage = new MemoryStorage();
    storage.close = () => void events.push('storage closed');
    const server = await startEmbeddedService({ storage });
    await write(server, 'sys/auth/jwt', { type: 'jwt' });

    const reached = once(keys, 'request');
    const underWay = write(server, 'auth/jwt/config', { jwks_url: url }).then(() => events.push('answered'));
    await reached;
    const closing = server.close();
    await sleep(50);
    await expect(fetch(`${server.address}/v1/sys/init`)).rejects.toThrow();
    expect(events).toEqual([]);
    release();
    await Promise.all([underWay, closing]);
    keys.close();
    expect(events).toEqual(['answered', 'storage closed']);
  });

  test('what does not end is cut off in time', async () => {
    const keys = createServer(() => {});
    keys.listen(0, '127.0.0.1');
    await once(keys, 'listening');
    const server = await startSecretsService({
      storage: new MemoryStorage(),
      rootToken: 'root',
      limits: { stopMs: 50 },
    });
    await write({ ...server, token: 'root' }, 'sys/auth/jwt', { type: 'jwt' });
    const reached = once(keys, 'request');
    const jwks_url = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`;
    const underWay = write({ ...server, token: 'root' }, 'auth/jwt/config', { jwks_url });
    const failed = expect(underWay).rejects.toThrow();
    await reached;
    await server.close();
    await failed;
    keys.closeAllConnections();
    keys.close();
  });
});

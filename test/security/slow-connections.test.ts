import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { startSecretsService } from '../../packages/secrets-service/src/server.ts';
import { rootToken, startEmbeddedService } from '../harness/embedded-service.ts';
import { MemoryStorage } from '../harness/memory-storage.ts';
import { closedSocket, rawHttp, rawSocket, statusesOf } from '../harness/raw-http.ts';
import { started } from '../harness/started.ts';

describe('slow or many connections', () => {
  const head = (line: string, ...headers: string[]) =>
    `${[line, 'Host: x', `X-Vault-Token: ${rootToken}`, ...headers].join('\r\n')}\r\n\r\n`;

  const server = started(startEmbeddedService);
  const start = (limits: object) => startSecretsService({ storage: new MemoryStorage(), limits });

  const init = 'GET /v1/sys/init HTTP/1.1\r\nHost: x\r\n\r\n';
  test.each([
    ['sends nothing', { headMs: 100 }, ''],
    ['sends half a request line', { headMs: 100 }, 'GET /v1/sys'],
    ['sends half a LIST', { headMs: 100 }, 'LIST /v1/sys/policies/acl HTTP/1.1\r\nHost'],
    ['is idle after an answer', { idleMs: 100 }, init],
  ])('one that %s is closed in time', async (_, limits, text) => {
    const limited = await start(limits);
    const socket = await rawSocket(limited.address);
    socket.resume().on('error', () => {});
    if (text !== '') socket.write(text);
    await closedSocket(socket);
    await limited.close();
  });

  test('one that dribbles a head after an answer is closed in time', async () => {
    const limited = await start({ headMs: 150 });
    const socket = await rawSocket(limited.address);
    socket.on('error', () => {});
    socket.write(init);
    await once(socket, 'data');
    socket.write('GET /v1/sys/init HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('a'), 20);
    await closedSocket(socket);
    clearInterval(drip);
    await limited.close();
  });

  test('more than there may be are closed, and those before them are served', async () => {
    const limited = await start({ connections: 2 });
    const served = await Promise.all([rawSocket(limited.address), rawSocket(limited.address)]);
    const answers = () =>
      Promise.all(
        served.map(async (socket) => {
          socket.write(init);
          const [bytes] = (await once(socket, 'data')) as [Buffer];
          return statusesOf(bytes.toString())[0];
        }),
      );
    const before = await answers();
    const tooMany = await rawHttp(limited.address, init);
    expect([before, tooMany, await answers()]).toEqual([['200', '200'], '', ['200', '200']]);
    await limited.close();
  });

  test('a thousand requests on one connection are answered in their order', async () => {
    const lines = Array.from({ length: 1_000 }, (_, at) =>
      at % 2 === 0 ? 'LIST /v1/sys/policies/acl' : 'GET /v1/nothing/x',
    );
    const text =
      lines.map((line) => head(`${line} HTTP/1.1`)).join('') +
      head('GET /v1/sys/init HTTP/1.1', 'Connection: close');
    const statuses = statusesOf(await rawHttp(server().address, text));
    expect(statuses).toEqual([...lines.map((line) => (line.startsWith('LIST') ? '200' : '404')), '200']);
  });

  test('one that asks and never reads holds little', async () => {
    const socket = await rawSocket(server().address);
    socket.on('error', () => {});
    const text = head('LIST /v1/sys/policies/acl HTTP/1.1').repeat(1_000);
    const before = process.memoryUsage().rss;
    let isHeldUp = false;
    for (let sent = 0; sent < 300 && !isHeldUp; sent += 1) {
      if (socket.write(text)) continue;
      const drained = once(socket, 'drain').then(() => true);
      isHeldUp = !(await Promise.race([drained, sleep(500).then(() => false)]));
    }
    const grown = process.memoryUsage().rss - before;
    socket.destroy();
    // The server reads no more than it can answer: what is left stays with the sender.
    expect(isHeldUp).toBe(true);
    expect(grown).toBeLessThan(150 * 1024 * 1024);
  });
});

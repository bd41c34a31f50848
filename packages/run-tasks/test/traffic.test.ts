import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { closedSocket, rawSocket, statusesOf } from '../../../test/harness/raw-http.ts';
import { until } from '../../../test/harness/until.ts';
import { Metrics } from '../../host/src/metrics.ts';
import { eventStream, type Route } from '../src/route.ts';
import { type RunTaskServer, startRunTaskServer } from '../src/server.ts';
import { network, type TrafficLimits } from '../src/traffic.ts';

let server: RunTaskServer | undefined;
const metrics = () => fetch(`${server?.address}/metrics`).then((answer) => answer.text());
/** A person is who the path names. */
const routes: Route[] = [
  {
    method: 'GET',
    path: '/streams/:person',
    async answer({ params, countAs }) {
      countAs(params['person'] ?? '', 'stream');
      return eventStream(endless());
    },
  },
  {
    method: 'GET',
    path: '/held/:person',
    async answer({ params, countAs }) {
      countAs(params['person'] ?? '');
      return await new Promise(() => {});
    },
  },
  { method: 'POST', path: '/take', maxBytes: 8 * 1024 * 1024, answer: async () => ({ status: 200 }) },
];
async function* endless() {
  yield 'data: x\n\n';
  await new Promise(() => {});
}
const start = async (limits: TrafficLimits) => {
  server = await startRunTaskServer({ routes, checkReady: async () => {}, limits, metrics: new Metrics() });
  return server.address;
};
const opened: AbortController[] = [];
const statusOf = async (path: string) => {
  const over = new AbortController();
  opened.push(over);
  const { status } = await fetch(`${server?.address}${path}`, { signal: over.signal });
  return status;
};
afterEach(async () => {
  for (const over of opened.splice(0)) over.abort();
  await server?.close();
});

describe('event streams', () => {
  test('are counted by person: one more is answered 429, and others have theirs', async () => {
    await start({ streams: 2 });
    expect([
      await statusOf('/streams/ann'),
      await statusOf('/streams/ann'),
      await statusOf('/streams/ann'),
    ]).toEqual([200, 200, 429]);
    expect(await statusOf('/streams/bob')).toBe(200);
    expect(await metrics()).toContain('gatehouse_http_refused_total{reason="streams"} 1');
  });

  test('are counted in all: one more is answered 503, and all else is answered', async () => {
    const address = await start({ allStreams: 2 });
    expect([
      await statusOf('/streams/a'),
      await statusOf('/streams/b'),
      await statusOf('/streams/c'),
    ]).toEqual([200, 200, 503]);
    expect((await fetch(`${address}/take`, { method: 'POST', body: 'x' })).status).toBe(200);
  });

  test('take nothing of what their address may have at work', async () => {
    const address = await start({ atWork: 1 });
    expect([await statusOf('/streams/a'), await statusOf('/streams/b')]).toEqual([200, 200]);
    expect((await fetch(`${address}/take`, { method: 'POST', body: 'x' })).status).toBe(200);
  });

  test('are given back once their reader is gone', async () => {
    await start({ streams: 1 });
    expect(await statusOf('/streams/ann')).toBe(200);
    opened[0]?.abort();
    await until(async () => (await statusOf('/streams/ann')) === 200);
  });
});

describe('requests at work', () => {
  test('count for the person once that is known, not for the address', async () => {
    const address = await start({ atWork: 2 });
    void statusOf('/held/ann').catch(() => {});
    void statusOf('/held/ann').catch(() => {});
    await until(async () => (await statusOf('/held/ann')) === 429);
    expect((await fetch(`${address}/take`, { method: 'POST', body: 'x' })).status).toBe(200);
  });
});

describe('connections that wait', () => {
  const half = 'POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n';
  const ask = 'POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx';
  const openRaw = async (...texts: string[]) => {
    const socket = await rawSocket(server?.address ?? '');
    socket.on('error', () => {}).resume();
    for (const text of texts) socket.write(text);
    return socket;
  };

  test.each([
    ['in a body', half],
    ['in a head', 'GET /ready HTTP/1.1\r\nHost'],
    ['without a byte', ''],
  ])('%s: of one too many of an address, the oldest is closed', async (_, text) => {
    await start({ waiting: 3 });
    const sockets = [];
    for (let count = 0; count < 3; count += 1) sockets.push(await openRaw(text));
    const [oldest, ...newer] = sockets;
    const closed = closedSocket(oldest as (typeof sockets)[0]);
    const asking = await openRaw();
    asking.write(ask);
    const [answer] = (await once(asking, 'data')) as [Buffer];
    await closed;
    expect(statusesOf(answer.toString())).toEqual(['200']);
    expect(newer.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    for (const socket of [...newer, asking]) socket.destroy();
  });

  test('are closed for one too many in all, never those at work', async () => {
    await start({ connections: 2 });
    expect(await statusOf('/streams/ann')).toBe(200);
    const waiting = await openRaw(half);
    const closed = closedSocket(waiting);
    const next = await openRaw(half);
    await closed;
    expect(next.destroyed).toBe(false);
    next.destroy();
  });

  test('are closed where they hold too much that arrives, the largest first', async () => {
    await start({ arriving: 1_000_000 });
    const small = await openRaw(half, 'x'.repeat(1000));
    const large = await openRaw(half, 'x'.repeat(2_000_000));
    await closedSocket(large);
    await sleep(50);
    expect(small.destroyed).toBe(false);
    expect(await metrics()).toContain('gatehouse_http_refused_total{reason="connection"} 1');
    small.destroy();
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1'],
  ['2001:db8:0:1::5', '2001:db8:0:1'],
  ['2001:DB8::', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['no address', 'no address'],
])('%s counts as %s: a sender has a whole network of IPv6', (address, expected) => {
  expect(network(address)).toBe(expected);
});

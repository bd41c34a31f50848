import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { listen } from '../../host/src/listen.ts';
import { ServiceClient } from '../src/service-client.ts';
import { sharingConnections } from '../src/shared-connections.ts';

const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

/** A service that answers everything, and how many connections it has and had. */
async function startService() {
  let [opened, stillOpen] = [0, 0];
  const server = createServer((_, response) => void response.end('{"data":{}}'));
  server.on('connection', (socket) => {
    opened += 1;
    stillOpen += 1;
    socket.on('close', () => (stillOpen -= 1));
  });
  const port = await listen(server, 0);
  closes.push(() => server.close());
  const counts = () => ({ opened, stillOpen });
  return { address: `http://127.0.0.1:${port}`, counts, server };
}

const clientFor = (address: string, options = {}) =>
  new ServiceClient({ address, token: 't', maxConnections: 1, ...options });

test('clients of one service use the same connections, also where one closes before another', async () => {
  const { address, counts } = await startService();
  await sharingConnections(1, async () => {
    const [one, other] = [clientFor(address), clientFor(address, { token: 'u', namespace: 'n' })];
    await one.read('a');
    one.close();
    await other.read('a');
    other.close();
    await clientFor(address).read('a');
  });
  expect(counts().opened).toBe(1);
});

test('they are closed when the work is over, even if it fails', async () => {
  const { address, counts, server } = await startService();
  const closed = new Promise((resolve) => server.on('connection', (socket) => socket.on('close', resolve)));
  const work = sharingConnections(1, async () => {
    await clientFor(address).read('a');
    throw new Error('no');
  });
  await expect(work).rejects.toThrow('no');
  await closed;
  expect(counts()).toEqual({ opened: 1, stillOpen: 0 });
});

test('together they have as many as they would have by themselves', async () => {
  const { address, counts } = await startService();
  await sharingConnections(3, () =>
    Promise.all(Array.from({ length: 12 }, (_, at) => clientFor(address).read(`a${at}`))),
  );
  expect(counts().opened).toBe(3);
});

test('clients that trust something else, or have more at a time, have their own', async () => {
  const { address, counts } = await startService();
  await sharingConnections(1, async () => {
    await clientFor(address).read('a');
    await clientFor(address, { verifyCertificate: false }).read('a');
    await clientFor(address, { maxConnections: 2 }).read('a');
  });
  expect(counts().opened).toBe(3);
});

test('outside of such work, each client has its own and closes them', async () => {
  const { address, counts, server } = await startService();
  const client = clientFor(address);
  const connected = once(server, 'connection');
  await client.read('a');
  const [socket] = await connected;
  client.close();
  await once(socket, 'close');
  expect(counts()).toEqual({ opened: 1, stillOpen: 0 });
});

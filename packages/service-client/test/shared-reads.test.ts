import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ServiceClient } from '../src/service-client.ts';
import { placeOf, sharingReads } from '../src/shared-reads.ts';

let seen: string[] = [];
const server = createServer(({ method, url }, answer) => {
  seen.push(`${method} ${url}`);
  answer.statusCode = url?.includes('refused') ? 403 : 200;
  answer.end(JSON.stringify({ data: { count: seen.length, keys: ['a'] }, errors: [] }));
});
let address = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  seen = [];
});

const client = (options: { token?: string; namespace?: string; sharesReads?: boolean } = {}) =>
  new ServiceClient({ address, token: 't', sharesReads: true, ...options });
const shared = <Result>(work: () => Promise<Result>, namespace?: string) =>
  sharingReads([placeOf(new URL(address), namespace)], work);

test('within it, the same is asked once, and each has an answer of its own', async () => {
  const answers = await shared(() =>
    Promise.all([client().read('x'), client().read('x'), client().list('x')]),
  );
  expect(seen).toEqual(['GET /v1/x', 'GET /v1/x?list=true']);
  const [one, other] = answers;
  expect(one).toEqual(other);
  (one?.data['keys'] as string[]).push('b');
  expect(other?.data['keys']).toEqual(['a']);
});

test.each([
  ['another token', { token: 'u' }],
  ['another namespace', { namespace: 'team' }],
  ['a client that does not share', { sharesReads: false }],
])('%s is asked for itself', async (_, other) => {
  await shared(async () => {
    await client().read('x');
    await client(other).read('x');
  });
  expect(seen).toHaveLength(2);
});

test('a refusal is the same for all', async () => {
  await shared(async () => {
    for (const one of [client(), client()]) {
      await expect(one.read('refused')).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
  expect(seen).toHaveLength(1);
});

test('after it, and in places that are not shared, each asks for itself', async () => {
  const late = await shared(async () => {
    await client().read('x');
    return { read: () => client().read('x') };
  });
  await late.read();
  await sharingReads([], async () => {
    await client().read('x');
    await client().read('x');
  });
  expect(seen).toHaveLength(4);
});

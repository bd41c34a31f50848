import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { isComplete } from '../../core/src/graph/graph.ts';
import { listen } from '../../host/src/listen.ts';
import { readLiveGraph } from '../src/live-graph.ts';
import { ServiceClient } from '../src/service-client.ts';

/** What a double answers, by path; 404 with `none` to everything else. */
let answers: Record<string, [status: number, body: object | string]> = {};
let none: string;
let namespaces: unknown[];
const server = createServer(({ url = '', headers }, response) => {
  const path = url.replace(/^\/v1\/|\?.*$/g, '');
  namespaces.push([path, headers['x-vault-namespace']]);
  const [status, body] = answers[path] ?? [404, none];
  response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
});
let address = '';
beforeAll(async () => {
  address = `http://127.0.0.1:${await listen(server, 0)}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  [answers, none, namespaces] = [{}, '{"errors":[]}', []];
});

async function read(namespace?: string) {
  const client = new ServiceClient({ address, token: 'x', maxRetries: 0, namespace });
  try {
    return await readLiveGraph(client, { messages: false, whole: true });
  } finally {
    client.close();
  }
}

const version: [number, object] = [200, { version: '2.7.2', sealed: false }];
const mounts: [number, object] = [200, { data: { 'ci/': { type: 'jwt', accessor: 'a' } } }];

test.each([
  ['a page of HTML', '<html>Not found</html>'],
  ['JSON of another API', '{"error":"Not Found"}'],
  ['nothing', ''],
  ['what a service says of nothing', '{"errors":[]}'],
])('an address that answers all with 404 is no service, whatever it says: %s', async (_, body) => {
  none = body;
  await expect(read()).rejects.toMatchObject({ code: 'not_a_service' });
});

test('an address that answers all with 200 is no service', async () => {
  answers = { 'sys/seal-status': [200, {}], 'sys/health': [200, { status: 'UP' }] };
  await expect(read()).rejects.toMatchObject({ code: 'not_a_service' });
});

test('a service says its version at either path', async () => {
  answers = { 'sys/seal-status': [403, { errors: ['denied'] }], 'sys/health': version, 'sys/auth': mounts };
  expect((await read()).graph.methods.map(({ path }) => path)).toEqual(['ci']);
});

test('a service is asked for its version outside of the namespace, where not every service tells it', async () => {
  answers = { 'sys/seal-status': version, 'sys/auth': mounts };
  await read('team');
  expect(namespaces).toContainEqual(['sys/seal-status', undefined]);
  expect(namespaces).toContainEqual(['sys/auth', 'team']);
});

test('a list of nothing is whole', async () => {
  answers = { 'sys/seal-status': version, 'sys/auth': mounts };
  const { graph, unreadable } = await read();
  expect(unreadable).toEqual([]);
  expect(isComplete(graph, 'roles', 'ci')).toBe(true);
});

test.each([
  'no handler for route "auth/ci/role". route entry not found.',
  '1 error occurred:\n\t* unsupported path\n\n',
])(
  'a list at a path that the service does not know is not read, and no list of nothing: %s',
  async (text) => {
    const unknown: [number, object] = [404, { errors: [text] }];
    answers = { 'sys/seal-status': version, 'sys/auth': mounts, 'auth/ci/role': unknown };
    const { graph, unreadable } = await read();
    expect(unreadable.map(({ subject }) => subject)).toEqual([{ type: 'role', method: 'ci', name: '*' }]);
    expect(isComplete(graph, 'roles', 'ci')).toBe(false);
  },
);

test('a list that only some services have is empty where the path is unknown', async () => {
  const unknown: [number, object] = [404, { errors: ['unsupported path'] }];
  answers = { 'sys/seal-status': version, 'sys/auth': mounts, 'auth/ci/cel/role': unknown };
  expect((await read()).unreadable).toEqual([]);
});

import { channel } from 'node:diagnostics_channel';
import { Agent, request } from 'node:http';
import pLimit from 'p-limit';
import { rolePath } from '../core/src/graph/resources/role.ts';
import { toSnakeCase } from '../core/src/graph/values/wire.ts';
import type { Goal } from '../engine/src/local/goal.ts';
import { standIn } from './instant-monitor.ts';
import type { BenchService } from './project.ts';

type JsonBody = Record<string, unknown>;

/** Sends so many requests at a time on keep-alive connections, and parses every response: no checks, no state. */
function bareClient({ address, token, namespace }: BenchService, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { 'X-Vault-Token': token, ...(namespace && { 'X-Vault-Namespace': namespace }) };
  /** The body's `data`, or the body itself. @throws Error for a status of 300 or more but 404 */
  const send = (method: string, path: string, body?: JsonBody): Promise<JsonBody> =>
    new Promise((resolve, reject) => {
      const options = { method, agent, headers };
      const outgoing = request(`${address}/v1/${path}`, options, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const answer: JsonBody = text === '' ? {} : JSON.parse(text);
          // An empty list is answered with 404.
          const { statusCode = 500 } = incoming;
          if (statusCode >= 300 && statusCode !== 404) reject(new Error(`${method} ${path}: ${text}`));
          else resolve((answer['data'] as JsonBody | null | undefined) ?? answer);
        });
      });
      outgoing.on('error', reject).end(body && JSON.stringify(body));
    });
  const limit = pLimit(connections);
  const each = <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) =>
    limit.map(items, work);
  return { send, each, close: () => agent.destroy() };
}

/** Reads these paths with so many concurrent requests. */
export async function readBare(
  paths: readonly string[],
  service: BenchService,
  connections: number,
): Promise<void> {
  const { send, each, close } = bareClient(service, connections);
  await each(paths, (path) => send('GET', path)).finally(close);
}

/** Does the writes and read-backs of registrations and nothing else, with as many concurrent requests as the engine. */
export async function writeBare(
  goals: readonly (Goal & { urn: string })[],
  service: BenchService,
): Promise<void> {
  const { send, each, close } = bareClient(service, 16);
  const of = (type: string) => goals.filter((goal) => goal.type === type);
  const write = async (path: string, body: JsonBody) => {
    await send('PUT', path, body);
    await send('GET', path);
  };
  const create = async (path: string, body: JsonBody) => {
    const { id } = await send('POST', path, body);
    await send('GET', `${path}/id/${id}`);
    return id;
  };
  const mount = of('vault:jwt/authBackend:AuthBackend')[0]?.inputs ?? {};
  const path = String(mount['path']);
  const writeMount = async () => {
    await send('POST', `sys/auth/${path}`, { type: mount['type'] });
    await write(`auth/${path}/config`, written(mount, 'path', 'type'));
    return (await send('GET', `sys/auth/${path}`))['accessor'];
  };
  const [mount_accessor] = await Promise.all([
    writeMount(),
    each(of('vault:index/policy:Policy'), ({ inputs: { name, policy } }) =>
      write(`sys/policies/acl/${name}`, { policy }),
    ),
  ]);
  await each(of('vault:jwt/authBackendRole:AuthBackendRole'), ({ inputs }) =>
    write(rolePath(path, String(inputs['roleName'])), written(inputs, 'backend', 'roleName')),
  );
  const ids = new Map<unknown, unknown>();
  await each(of('vault:identity/group:Group'), async ({ urn, inputs }) =>
    ids.set(standIn('id', urn), await create('identity/group', written(inputs))),
  );
  await each(of('vault:identity/groupAlias:GroupAlias'), ({ inputs: { name, canonicalId } }) =>
    create('identity/group-alias', { name, mount_accessor, canonical_id: ids.get(canonicalId) }),
  );
  close();
}

function written(inputs: JsonBody, ...without: string[]): JsonBody {
  const entries = Object.entries(inputs).filter(([name]) => !without.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [toSnakeCase(name), value]));
}

/** The paths of the HTTP requests that `work` sends. */
export async function requestsOf(work: () => Promise<unknown>): Promise<string[]> {
  const paths: string[] = [];
  const note = (message: unknown) => void paths.push((message as { request: { path: string } }).request.path);
  // Gatehouse uses undici, the bare client `node:http`.
  const sent = ['undici:request:create', 'http.client.request.start'].map((name) => channel(name));
  for (const each of sent) each.subscribe(note);
  await work().finally(() => {
    for (const each of sent) each.unsubscribe(note);
  });
  return paths;
}

import { Agent, request } from 'node:http';
import { toSnakeCase } from '../core/model/values/wire.ts';
import type { PropertyMap } from '../engine/property-value.ts';
import { standIn } from './instant-monitor.ts';
import type { Recording } from './up.ts';

type Json = Record<string, unknown>;

/** Concurrent requests, as many as the engine's. */
const writers = 16;

/** A secrets service and a token for it. */
export interface Service {
  address: string;
  token: string;
}

/**
 * Does the writes and read-backs of a recording and nothing else: no checks, comparisons or state. Sixteen concurrent
 * requests on keep-alive connections; every response is read and parsed.
 */
export async function writeBare({ registrations }: Recording, { address, token }: Service): Promise<void> {
  const service = new BareClient(address, token, writers);
  const inputsOf = (type: string) =>
    registrations
      .filter(({ goal }) => goal.type === type)
      .map(({ goal, urn }): PropertyMap & { urn: string } => ({ urn, ...goal.inputs }));
  try {
    const [mount] = inputsOf('vault:jwt/authBackend:AuthBackend');
    const path = String(mount?.['path']);
    const [, accessor] = await Promise.all([
      atOnce(writers, inputsOf('vault:index/policy:Policy'), async ({ name, policy }) => {
        await service.send('PUT', `sys/policies/acl/${name}`, { policy });
        await service.send('GET', `sys/policies/acl/${name}`);
      }),
      writeMount(service, path, mount as PropertyMap),
    ]);
    const ids = new Map<string, unknown>();
    await atOnce(writers, inputsOf('vault:jwt/authBackendRole:AuthBackendRole'), async (role) => {
      const at = `auth/${path}/role/${role['roleName']}`;
      await service.send('PUT', at, written(role, ['urn', 'backend', 'roleName']));
      await service.send('GET', at);
    });
    await atOnce(writers, inputsOf('vault:identity/group:Group'), async (group) => {
      const { id } = await service.send('POST', 'identity/group', written(group, ['urn']));
      ids.set(standIn('id', group.urn), id);
      await service.send('GET', `identity/group/id/${id}`);
    });
    await atOnce(writers, inputsOf('vault:identity/groupAlias:GroupAlias'), async (alias) => {
      const { id } = await service.send('POST', 'identity/group-alias', {
        name: alias['name'],
        mount_accessor: accessor,
        canonical_id: ids.get(String(alias['canonicalId'])),
      });
      await service.send('GET', `identity/group-alias/id/${id}`);
    });
  } finally {
    service.close();
  }
}

/** Reads these paths with so many concurrent requests, and parses every response. */
export async function readBare(
  paths: readonly string[],
  { address, token }: Service,
  connections: number,
): Promise<void> {
  const service = new BareClient(address, token, connections);
  try {
    await atOnce(connections, paths, (path) => service.send('GET', path));
  } finally {
    service.close();
  }
}

async function writeMount(service: BareClient, path: string, mount: PropertyMap): Promise<unknown> {
  await service.send('POST', `sys/auth/${path}`, { type: mount['type'] });
  await service.send('PUT', `auth/${path}/config`, written(mount, ['urn', 'path', 'type']));
  const { accessor } = await service.send('GET', `sys/auth/${path}`);
  await service.send('GET', `auth/${path}/config`);
  return accessor;
}

function written(inputs: PropertyMap, without: string[]): Json {
  return Object.fromEntries(
    Object.entries(inputs)
      .filter(([name]) => !without.includes(name))
      .map(([name, value]) => [toSnakeCase(name), value]),
  );
}

/** Processes a list with limited concurrency. */
async function atOnce<T>(count: number, items: readonly T[], work: (item: T) => Promise<unknown>) {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
}

class BareClient {
  readonly #address: string;
  readonly #token: string;
  readonly #agent: Agent;

  constructor(address: string, token: string, connections: number) {
    this.#address = address;
    this.#token = token;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** The body's `data`, or the body itself. @throws Error for a status of 300 or more */
  send(method: string, path: string, body?: Json): Promise<Json> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${this.#address}/v1/${path}`,
        { method, agent: this.#agent, headers: { 'X-Vault-Token': this.#token } },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const answer = (text === '' ? {} : JSON.parse(text)) as Json;
            if ((incoming.statusCode ?? 500) >= 300) reject(new Error(`${method} ${path}: ${text}`));
            else resolve((answer['data'] as Json | null | undefined) ?? answer);
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

import { generateKeyPairSync } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { CompactSign } from 'jose';
import pLimit from 'p-limit';
import { Pool } from 'undici';
import { ServiceClient } from '../../packages/service-client/src/service-client.ts';
import { limitedPolicy, pick } from './limited-policies.ts';
import { type OpenBao, startAuditedOpenBao } from './openbao-server.ts';
import { everyPath, randomFrom } from './random-policies.ts';
import { temporaryFolder } from './temporary-folder.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** Requests at a time. */
const concurrency = 16;
/** The number of a request is logged with it, in clear. */
export const numberHeader = 'x-request-number';

/** An OpenBao with a hashed audit log in a file. */
export interface LoggingOpenBao extends OpenBao {
  /** Path of the file that is written. */
  log: string;
}

export async function startLoggingOpenBao(): Promise<LoggingOpenBao> {
  const folder = temporaryFolder();
  const log = join(folder, 'audit.log');
  const server = await startAuditedOpenBao(log);
  return { ...server, log };
}

/** A person or a job, and how they sign in. */
interface Person {
  path: string;
  body: Record<string, unknown>;
}

export interface SentRequest {
  who: number;
  method: 'GET' | 'POST' | 'LIST' | 'DELETE' | 'PATCH';
  path: string;
  body?: Record<string, unknown>;
  /** Seconds. */
  wrapping?: number;
}

/** What a change writes, and with which body it is undone. */
export interface RandomChange {
  kind: 'text' | 'role' | 'group' | 'entity';
  path: string;
  body: Record<string, unknown>;
  was: Record<string, unknown>;
}

/** What was written, by path: changed and restored by writing the same path again. */
type Written = Map<string, { kind: RandomChange['kind']; field: string; body: Record<string, unknown> }>;

const policyNames = Array.from({ length: 24 }, (_, at) => `p${at}`);
const paths = everyPath.filter((path) => path.split('/').length <= 3);
const sysPaths: [SentRequest['method'], string][] = [
  ['GET', 'sys/policies/acl/scratch'],
  ['GET', 'sys/policies/acl/p1'],
  ['LIST', 'sys/policies/acl'],
  ['POST', 'sys/policies/acl/scratch'],
  ['GET', 'sys/auth'],
  ['GET', 'sys/auth/staff'],
  ['GET', 'sys/auth/staff/tune'],
  ['GET', 'sys/audit'],
  ['GET', 'sys/mounts'],
  ['GET', 'auth/token/lookup-self'],
  ['POST', 'sys/capabilities-self'],
  ['LIST', 'auth/token/accessors'],
  ['GET', 'cubbyhole/a'],
];

/**
 * People and jobs on a real OpenBao, their grants, and what they ask for: the same for the same seed. Groups, own policies of
 * entities, templates, denials and limits overlap.
 */
export class RecordedLife {
  readonly server: LoggingOpenBao;
  readonly root: ServiceClient;
  readonly people: Person[] = [];
  readonly #next: (limit: number) => number;
  readonly #seed: number;
  readonly #written: Written = new Map();
  readonly #pool: Pool;
  readonly #entities: { name: string; id: string }[] = [];
  #texts = 0;

  private constructor(server: LoggingOpenBao, seed: number) {
    this.server = server;
    this.#seed = seed;
    this.#next = randomFrom(seed);
    this.root = new ServiceClient({ address: server.address, token: server.token });
    this.#pool = new Pool(server.address, { connections: concurrency });
  }

  static async begin(server: LoggingOpenBao, seed: number, people = 80): Promise<RecordedLife> {
    const life = new RecordedLife(server, seed);
    const { root } = life;
    await root.put(`sys/config/auditing/request-headers/${numberHeader}`, { hmac: false });
    await root.put('sys/mounts/kv', { type: 'kv', options: { version: '1' } });
    for (const [path, type] of Object.entries({ staff: 'jwt', apps: 'approle', people: 'userpass' }))
      await root.put(`sys/auth/${path}`, { type });
    await root.put('auth/staff/config', {
      jwt_validation_pubkeys: [publicKey.export({ type: 'spki', format: 'pem' })],
    });
    for (const name of policyNames)
      await life.#write('text', 'policy', `sys/policies/acl/${name}`, { policy: life.#text() });
    await life.#roles();
    await life.#identities(people);
    return life;
  }

  async close(): Promise<void> {
    this.root.close();
    await this.#pool.close();
  }

  /** Signs everyone in anew. @returns their tokens */
  async signIn(): Promise<string[]> {
    const limit = pLimit(concurrency);
    return Promise.all(
      this.people.map(({ path, body }) =>
        limit(async () => {
          const { auth } = await this.root.with({ token: undefined }).post(path, body);
          return String(auth?.['client_token']);
        }),
      ),
    );
  }

  /** Requests of a pool of different ones, so that some come again. */
  requests(count: number): SentRequest[] {
    const pool = Array.from({ length: Math.ceil(count / 3) }, () => this.#request());
    return Array.from({ length: count }, () => pick(this.#next, pool));
  }

  /** @param numbers logged with them; default to their places */
  async sendAll(
    tokens: readonly string[],
    requests: readonly SentRequest[],
    numbers?: readonly number[],
  ): Promise<void> {
    const limit = pLimit(concurrency);
    await Promise.all(
      requests.map((one, at) => limit(() => this.send(tokens[one.who] ?? '', one, numbers?.[at] ?? at))),
    );
  }

  /** @returns the status */
  async send(token: string, { method, path, body, wrapping }: SentRequest, number: number): Promise<number> {
    const { statusCode, body: answer } = await this.#pool.request({
      // The client knows few methods by name, and sends any.
      method: method as 'GET',
      path: `/v1/${path}`,
      headers: {
        'x-vault-token': token,
        [numberHeader]: String(number),
        ...(wrapping !== undefined && { 'x-vault-wrap-ttl': `${wrapping}s` }),
        ...(method === 'PATCH' && { 'content-type': 'application/merge-patch+json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    await answer.dump();
    return statusCode;
  }

  /** The log goes on in a new file, as `logrotate` does it. */
  async rotate(to: string): Promise<void> {
    await rename(this.server.log, to);
    process.kill(this.server.pid, 'SIGHUP');
  }

  /** Makes what is at a kv path, or not: whether a write of it is `create` or `update`. */
  async prepare(path: string, exists: boolean): Promise<void> {
    const isSecond = path.startsWith('secret/data/');
    const at = !isSecond || exists ? path : path.replace('/data/', '/metadata/');
    await this.send(
      this.server.token,
      exists
        ? { who: 0, method: 'POST', path: at, body: valueAt(path) }
        : { who: 0, method: 'DELETE', path: at },
      -1,
    );
  }

  /** A change of one policy's text, or of the policies that a role, a group or an entity gives. */
  change(kind: RandomChange['kind']): RandomChange {
    const candidates = [...this.#written].filter(([, one]) => one.kind === kind);
    const [path, { field, body }] = pick(this.#next, candidates);
    const value = kind === 'text' ? this.#text() : this.#some(kind === 'role' ? 4 : 3);
    return { kind, path, body: { ...body, [field]: value }, was: body };
  }

  async #write(
    kind: RandomChange['kind'],
    field: string,
    path: string,
    body: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    const { data } = await this.root.put(path, body);
    this.#written.set(path, { kind, field, body });
    return data;
  }

  #text(): string {
    this.#texts += 1;
    return limitedPolicy(this.#seed * 1_000 + this.#texts, this.#next);
  }

  #some(most: number): string[] {
    return [...new Set(Array.from({ length: 1 + this.#next(most) }, () => pick(this.#next, policyNames)))];
  }

  async #roles(): Promise<void> {
    for (let at = 0; at < 8; at++) {
      await this.#write('role', 'token_policies', `auth/staff/role/r${at}`, {
        role_type: 'jwt',
        user_claim: 'sub',
        groups_claim: 'groups',
        bound_audiences: ['bao'],
        token_policies: this.#some(3),
        claim_mappings: { mail: 'mail' },
        ...(at % 4 === 3 && { token_type: 'batch' }),
      });
    }
    for (let at = 0; at < 10; at++) {
      await this.#write('role', 'token_policies', `auth/apps/role/job${at}`, {
        bind_secret_id: false,
        token_bound_cidrs: ['127.0.0.0/8'],
        token_policies: this.#some(3),
        ...(at % 3 === 1 && { token_no_default_policy: true }),
      });
      await this.#write('role', 'token_policies', `auth/people/users/user${at}`, {
        password: `password of ${at}`,
        token_policies: this.#some(3),
      });
    }
  }

  async #identities(people: number): Promise<void> {
    const accessor = (await this.root.read('sys/auth/staff'))?.data['accessor'];
    const external: string[] = [];
    for (let at = 0; at < 8; at++) {
      const body = { name: `team${at}`, type: 'external', policies: this.#some(2) };
      const id = await this.#named('group', `team${at}`, body);
      external.push(id);
      await this.root.put('identity/group-alias', {
        name: `team${at}`,
        mount_accessor: accessor,
        canonical_id: id,
      });
    }
    for (let at = 0; at < people / 2; at++) {
      const path = 'auth/staff/login';
      this.people.push({ path, body: { role: `r${at % 8}`, jwt: await this.#jwt(`person${at}`) } });
      if (at % 2 === 0) continue;
      const name = `known${at}`;
      const id = await this.#named('entity', name, { name, policies: at % 4 === 1 ? this.#some(2) : [] });
      await this.root.put('identity/entity-alias', {
        name: `person${at}`,
        mount_accessor: accessor,
        canonical_id: id,
      });
      this.#entities.push({ name, id });
    }
    for (let at = 0; at < 6; at++) {
      await this.#named('group', `circle${at}`, {
        name: `circle${at}`,
        type: 'internal',
        policies: this.#some(2),
        member_entity_ids: this.#entities.filter(() => this.#next(4) === 0).map(({ id }) => id),
        member_group_ids: at === 5 ? external.slice(0, 1) : [],
      });
    }
    for (let at = this.people.length; at < people; at++) {
      if (at % 2 === 0) {
        const role = `job${at % 10}`;
        const id = (await this.root.read(`auth/apps/role/${role}/role-id`))?.data['role_id'];
        this.people.push({ path: 'auth/apps/login', body: { role_id: id } });
      } else {
        const body = { password: `password of ${at % 10}` };
        this.people.push({ path: `auth/people/login/user${at % 10}`, body });
      }
    }
    // Entities of the rest are made by their first sign-in.
    await this.signIn();
  }

  async #named(kind: 'group' | 'entity', name: string, body: Record<string, unknown>): Promise<string> {
    const path = `identity/${kind}/name/${name}`;
    const { id } = await this.#write(kind, 'policies', path, body);
    return String(id ?? (await this.root.read(path))?.data['id']);
  }

  #jwt(sub: string): Promise<string> {
    const groups = Array.from({ length: this.#next(4) }, () => `team${this.#next(10)}`);
    const exp = Math.floor(Date.now() / 1000) + 7_200;
    const claims = { sub, groups, aud: 'bao', mail: `${sub}@example.com`, iat: exp - 7_200, exp };
    const text = new TextEncoder().encode(JSON.stringify(claims));
    return new CompactSign(text).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  }

  #request(): SentRequest {
    const next = this.#next;
    const who = next(this.people.length);
    const wraps = next(8) === 0 ? { wrapping: pick(next, [20, 60, 120]) } : {};
    if (next(10) === 0) {
      const [method, path] = pick(next, sysPaths);
      const bodies: Record<string, Record<string, unknown>> = {
        'sys/policies/acl/scratch': { policy: 'path "kv/none" { capabilities = ["read"] }' },
        'sys/capabilities-self': { paths: ['kv/a'] },
      };
      return { who, method, path, ...(method === 'POST' && { body: bodies[path] }), ...wraps };
    }
    const own = pick(next, this.#entities);
    const rest =
      next(12) === 0 ? pick(next, [own.name, own.id, `${own.name}/a`, `${own.id}/a`]) : pick(next, paths);
    const mount = pick(next, ['kv', 'kv', 'secret/data', 'secret/data', 'secret/metadata'] as const);
    const method = pick(next, ['GET', 'GET', 'POST', 'POST', 'POST', 'LIST', 'DELETE', 'PATCH'] as const);
    // A write to a folder is refused before anyone looks at policies, or at the log.
    const path = `${mount}/${method === 'POST' || method === 'PATCH' ? rest.replace(/\/$/, '') : rest}`;
    if (method === 'GET') return { who, method, path: next(6) === 0 ? `${path}?x=one` : path, ...wraps };
    if (method === 'LIST' || method === 'DELETE') return { who, method, path, ...wraps };
    return { who, method, path, body: { ...valueAt(path, next(4)), ...this.#fields() }, ...wraps };
  }

  #fields(): Record<string, unknown> {
    const value = () => pick(this.#next, ['one', 'two', 'three', '1', 2, true, null]);
    const names = pick(this.#next, [[], [], ['x'], ['y'], ['x', 'y'], ['X'], ['Zone'], ['zone', 'x']]);
    return Object.fromEntries(names.map((name) => [name, value()]));
  }
}

function valueAt(path: string, version = 0): Record<string, unknown> {
  if (path.startsWith('secret/data/')) return { data: { value: `v${version}` } };
  return path.startsWith('kv/') ? { value: `v${version}` } : { max_versions: 5 };
}

import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { type Answered, ask, type Request } from '../../../test/harness/ask.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { startSecretsService } from '../src/server.ts';
import { SqliteStorage } from '../src/storage/sqlite.ts';
import { dangling } from './stored-indexes.ts';

const dyingService = fileURLToPath(new URL('./dying-service.ts', import.meta.url));
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

type Call = (request: Request) => Promise<Answered>;
/** What can be read after an acknowledged write: these fields, or nothing (404, 403). */
type Promised =
  | { number: number; read: Request; data: object }
  | { number: number; read: Request; gone: 404 | 403 };

/** Writes of each kind, by number. Each resolves when the service has acknowledged it. */
const kinds: ((call: Call, number: number) => Promise<Promised>)[] = [
  async function role(call, number) {
    const path = `auth/staff/role/role-${number}`;
    const data = { role_type: 'jwt', user_claim: 'sub', bound_subject: `s-${number}`, token_ttl: number };
    await call({ method: 'POST', path, body: data });
    return { number, read: { method: 'GET', path }, data };
  },
  async function message(call, number) {
    const data = {
      title: `Message ${number}`,
      message: Buffer.from('x'.repeat(number)).toString('base64'),
      start_time: '2026-01-01T00:00:00Z',
      link: { more: `https://example.com/${number}` },
    };
    const path = 'sys/config/ui/custom-messages';
    const { body } = await call({ method: 'POST', path, body: data });
    return { number, read: { method: 'GET', path: `${path}/${body.data.id}` }, data };
  },
  // Also creates its group: two records with their indexes.
  async function groupAlias(call, number) {
    const accessor = (await call({ method: 'GET', path: 'sys/auth/staff' })).body.data.accessor;
    const alias = { name: `alias-${number}`, mount_accessor: accessor };
    const { body } = await call({ method: 'POST', path: 'identity/group-alias', body: alias });
    const read = { method: 'GET', path: `identity/group/id/${body.data.canonical_id}` };
    return { number, read, data: { alias, type: 'external' } };
  },
  async function group(call, number) {
    const path = `identity/group/name/Group-${number}`;
    const data = { policies: [`p-${number}`], metadata: { number: String(number) } };
    await call({ method: 'POST', path, body: data });
    return { number, read: { method: 'GET', path }, data };
  },
  async function policy(call, number) {
    const path = `sys/policies/acl/policy-${number}`;
    const data = { policy: `path "secret/${number}" { capabilities = ["read"] }` };
    await call({ method: 'POST', path, body: data });
    return { number, read: { method: 'GET', path }, data };
  },
  async function deletedPolicy(call, number) {
    const path = `sys/policies/acl/policy-${number}`;
    await call({ method: 'POST', path, body: { policy: 'path "x" {}' } });
    await call({ method: 'DELETE', path });
    return { number, read: { method: 'GET', path }, gone: 404 };
  },
  async function token(call, number) {
    const meta = { number: String(number) };
    const { body } = await call({ method: 'POST', path: 'auth/token/create', body: { meta, ttl: '1h' } });
    const read = { method: 'GET', path: 'auth/token/lookup-self', token: body.auth.client_token };
    return { number, read, data: { meta, accessor: body.auth.accessor, policies: ['root'] } };
  },
  async function revokedToken(call, number) {
    const issued = await call({ method: 'POST', path: 'auth/token/create', body: { ttl: '1h' } });
    const token = issued.body.auth.client_token;
    await call({ method: 'POST', path: 'auth/token/revoke', body: { token } });
    return { number, read: { method: 'GET', path: 'auth/token/lookup-self', token }, gone: 403 };
  },
  // Creates an entity with its alias, a membership and a token.
  async function signIn(call, number) {
    const jwt = await new SignJWT({ sub: `person-${number}`, aud: 'app', groups: ['team'] })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
    const { body } = await call({ method: 'POST', path: 'auth/staff/login', body: { role: 'person', jwt } });
    const { client_token: token, entity_id: entity } = body.auth;
    const read = { method: 'GET', path: 'auth/token/lookup-self', token };
    const data = {
      entity_id: entity,
      identity_policies: ['of-team'],
      display_name: `staff-person-${number}`,
    };
    return { number, read, data };
  },
];

/**
 * The service on a file, killed with SIGKILL while four clients write: after a restart all acknowledged writes are there,
 * and nothing is half stored. Odd seeds kill it from outside after a number of acknowledged writes, even ones inside a
 * transaction after a number of stored keys; the seed determines both numbers.
 */
export function testKilledService(seeds: number[]): void {
  describe('a secrets service that was killed with SIGKILL during writes', () => {
    test.each(seeds)('seed %i: what was acknowledged is there, nothing by half', async (seed) => {
      const path = join(temporaryFolder(), 'store.sqlite');
      const token = await setUp(path);
      const count = 1 + ((Math.imul(seed, 2_654_435_761) >>> 0) % 300);
      const atKey = seed % 2 === 0 ? count : 0;
      const where = atKey === 0 ? `after ${count} acknowledged writes` : `at stored key ${count}`;

      const promised = await writeUntilKilled(path, token, { atKey, afterWrites: count });
      expect([where, promised.length > 0 || atKey > 0]).toEqual([where, true]);

      const storage = new SqliteStorage(path);
      expect([where, dangling(storage)]).toEqual([where, []]);
      const again = await startSecretsService({ storage });
      try {
        const server = { address: again.address, token };
        for (const one of promised) {
          const { status, body } = await ask(server, one.read);
          if ('gone' in one) expect([where, one.number, status]).toEqual([where, one.number, one.gone]);
          else expect([where, one.number, body]).toMatchObject([where, one.number, { data: one.data }]);
        }
      } finally {
        await again.close();
      }
    });
  });
}

/** Starts once and creates what the writes need. @returns The generated root token. */
async function setUp(path: string): Promise<string> {
  const {
    address,
    rootToken: token = '',
    close,
  } = await startSecretsService({
    storage: new SqliteStorage(path),
  });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const person = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['app'], groups_claim: 'groups' };
  const post = acknowledged({ address, token });
  await post({ method: 'POST', path: 'sys/auth/staff', body: { type: 'jwt' } });
  await post({ method: 'POST', path: 'auth/staff/config', body: { jwt_validation_pubkeys: [pem] } });
  await post({ method: 'POST', path: 'auth/staff/role/person', body: person });
  const { accessor } = (await post({ method: 'GET', path: 'sys/auth/staff' })).body.data;
  const team = { name: 'team', type: 'external', policies: ['of-team'] };
  const { id } = (await post({ method: 'POST', path: 'identity/group', body: team })).body.data;
  const alias = { name: 'team', mount_accessor: accessor, canonical_id: id };
  await post({ method: 'POST', path: 'identity/group-alias', body: alias });
  await close();
  return token;
}

async function writeUntilKilled(
  path: string,
  token: string,
  { atKey, afterWrites }: { atKey: number; afterWrites: number },
): Promise<Promised[]> {
  const service = spawn(process.execPath, [dyingService, path, String(atKey)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(service, 'exit');
  const [address] = await once(createInterface(service.stdout), 'line');
  const call = acknowledged({ address, token });
  const promised: Promised[] = [];
  let next = 0;
  const write = async () => {
    while (!service.killed && service.signalCode === null) {
      const number = next++;
      const kind = kinds[number % kinds.length] as (typeof kinds)[number];
      const done = await kind(call, number).catch(unlessRefused);
      // A response that arrived after the kill was ordered counts too.
      if (done === undefined) return;
      promised.push(done);
      if (atKey === 0 && promised.length >= afterWrites) service.kill('SIGKILL');
    }
  };
  try {
    await Promise.all([write(), write(), write(), write()]);
    expect(await ended).toEqual([null, 'SIGKILL']);
  } finally {
    service.kill('SIGKILL');
  }
  return promised;
}

class NotAcknowledged extends Error {}

/** Calls that fail the test if refused, and do not count if unanswered. */
function acknowledged(server: { address: string; token: string }): Call {
  return async (request) => {
    const answer = await ask(server, request);
    if (answer.status >= 300) throw new NotAcknowledged(`${request.path}: ${JSON.stringify(answer)}`);
    return answer;
  };
}

function unlessRefused(error: unknown): undefined {
  if (error instanceof NotAcknowledged) throw error;
}

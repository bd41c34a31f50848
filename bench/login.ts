import { execFile } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ServiceClient } from '../client/service-client.ts';
import { startService } from './bench-project.ts';
import { atMost, type Figure, figure, inTurn, median } from './figure.ts';
import type { LoginLoad, LoginLoadArgs } from './login-load.ts';
import { cpuSeconds, residentMegabytes, startServer } from './processes.ts';

export interface LoginOptions {
  /** Defaults to 9. */
  rounds?: number;
  /** Seconds of a round of one side. Defaults to 2. */
  seconds?: number;
  /** Instead, measures memory over so many logins. */
  memory?: number;
}

/** People who sign in, each with their own token. */
const people = 50;
/** Bits of the signing key. */
const modulusLength = 2048;
/** Ratio to OpenBao's. */
const mostProcessorTime = 0.45;

interface Side {
  address: string;
  token: string;
  pid: number;
  close(): Promise<void>;
}

/**
 * CPU time of a JWT login (RS256; a role with audience, subject, bound claims and groups; batch tokens) in the embedded
 * service and OpenBao, with the same key and tokens. Logins per second are not comparable: OpenBao uses all cores, the
 * embedded service one.
 */
export async function login({ rounds = 9, seconds = 2, memory }: LoginOptions): Promise<Figure[]> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const bodies = Array.from({ length: people }, (_, at) =>
    JSON.stringify({ role: 'bench', jwt: tokenOf(privateKey, `person-${at}`) }),
  );
  const sides = { embedded: await startEmbedded(), openbao: await startService() };
  try {
    for (const side of Object.values(sides)) await prepare(side, publicKey);
    const load = (side: Side, more: Pick<LoginLoadArgs, 'connections' | 'count' | 'seconds'>) =>
      runLoad({ address: side.address, path: 'auth/bench/login', bodies, ...more });
    // Warm up, so that every person is known.
    for (const side of Object.values(sides)) await load(side, { connections: 8, count: 4_000 });
    if (memory !== undefined) return await memoryOver(memory, sides.embedded, load);

    const figures: Figure[] = [];
    for (const connections of [8, 64]) {
      const measured = await inTurn(rounds, {
        embedded: () => measure(sides.embedded, () => load(sides.embedded, { connections, seconds })),
        openbao: () => measure(sides.openbao, () => load(sides.openbao, { connections, seconds })),
      });
      figures.push(...figuresOf(connections, measured));
    }
    return figures;
  } finally {
    for (const side of Object.values(sides)) await side.close();
  }
}

function figuresOf(connections: number, measured: Record<'embedded' | 'openbao', Measured[]>): Figure[] {
  const of = (side: 'embedded' | 'openbao', what: keyof Measured) =>
    median(measured[side].map((one) => one[what]));
  const ratio = median(measured.embedded.map(({ cpu }, round) => cpu / (measured.openbao[round]?.cpu ?? 0)));
  return [
    figure(`${connections} connections, CPU a login, embedded service`, of('embedded', 'cpu') * 1e6, ' µs'),
    figure('  OpenBao', of('openbao', 'cpu') * 1e6, ' µs'),
    atMost('  ratio', ratio, mostProcessorTime, ''),
    figure('  p50, embedded service', of('embedded', 'p50'), ' ms'),
    figure('  p50, OpenBao', of('openbao', 'p50'), ' ms'),
    atMost('  p99, embedded service, against OpenBao’s', of('embedded', 'p99'), of('openbao', 'p99'), ' ms'),
    figure('  logins a second, embedded service', of('embedded', 'rate'), ' /s'),
    figure('  logins a second, OpenBao', of('openbao', 'rate'), ' /s'),
  ];
}

interface Measured {
  /** Logins a second. */
  rate: number;
  p50: number;
  p99: number;
  /** Seconds of the server's CPU time for a login. */
  cpu: number;
}

async function measure(side: Side, run: () => Promise<LoginLoad>): Promise<Measured> {
  const before = cpuSeconds(side.pid);
  const { logins, seconds, p50, p99 } = await run();
  return { rate: logins / seconds, p50, p99, cpu: (cpuSeconds(side.pid) - before) / logins };
}

/** The service's resident memory, which must not grow with the logins. */
async function memoryOver(
  logins: number,
  side: Side,
  load: (side: Side, more: { connections: number; count: number }) => Promise<LoginLoad>,
): Promise<Figure[]> {
  const parts = 10;
  const figures: Figure[] = [];
  const sizes: number[] = [];
  for (let part = 1; part <= parts; part += 1) {
    await load(side, { connections: 64, count: logins / parts });
    sizes.push(residentMegabytes(side.pid));
    figures.push(figure(`resident after ${(logins * part) / parts} logins`, sizes.at(-1) ?? 0, ' MB'));
  }
  const half = parts / 2;
  const growth = median(sizes.slice(half)) / median(sizes.slice(0, half));
  return [...figures, atMost('second half against the first', growth, 1.1, '')];
}

async function startEmbedded(): Promise<Side> {
  const token = randomBytes(20).toString('hex');
  const server = await startServer([fileURLToPath(new URL('login-server.ts', import.meta.url)), token]);
  return { ...server, token };
}

/** Creates a method, a role, and a group that everybody is in. */
async function prepare({ address, token }: Side, publicKey: KeyObject): Promise<void> {
  const client = new ServiceClient({ address, token });
  await client.post('sys/auth/bench', { type: 'jwt' });
  await client.post('auth/bench/config', {
    jwt_validation_pubkeys: [publicKey.export({ type: 'spki', format: 'pem' })],
    bound_issuer: 'https://issuer.example',
  });
  await client.post('auth/bench/role/bench', {
    role_type: 'jwt',
    user_claim: 'email',
    bound_audiences: ['secrets'],
    bound_subject: 'system:serviceaccount:bench:app',
    bound_claims: { team: ['one', 'two'], '/org/unit': 'login' },
    groups_claim: 'groups',
    token_type: 'batch',
    token_policies: ['reader'],
    token_ttl: '1h',
  });
  const mount = await client.read('sys/auth/bench');
  const group = { name: 'admins', type: 'external', policies: ['admin'] };
  await client.post('identity/group-alias', {
    name: 'admins',
    mount_accessor: mount?.data['accessor'],
    canonical_id: (await client.post('identity/group', group)).data['id'],
  });
  client.close();
}

function tokenOf(key: KeyObject, person: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: 'https://issuer.example',
    sub: 'system:serviceaccount:bench:app',
    aud: 'secrets',
    email: `${person}@example.com`,
    team: 'two',
    org: { unit: 'login' },
    groups: ['admins', 'everybody'],
    iat: now,
    exp: now + 86_400,
  };
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
}

function runLoad(args: LoginLoadArgs): Promise<LoginLoad> {
  const program = fileURLToPath(new URL('login-load.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program], (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout));
      else reject(new Error(stderr, { cause: error }));
    });
    child.stdin?.end(JSON.stringify(args));
  });
}

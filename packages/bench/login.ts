import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { ServiceClient } from '../../client/service-client.ts';
import { type Bench, type Figure, figure, inTurn, median } from './frame.ts';
import { type LoadResult, type LoadStep, startLoad } from './load.ts';
import { cpuSeconds, residentMegabytes } from './processes.ts';
import { type Service, startEmbedded, startService } from './project.ts';

type Side = Service & { pid: number };
type Load = (side: Side, step: Pick<LoadStep, 'connections' | 'count' | 'seconds'>) => Promise<LoadResult>;

/** People who sign in, each with their own token. */
const people = 50;
/** Ratio to OpenBao's. */
const mostProcessorTime = 0.45;
const issuer = 'https://issuer.example';

/**
 * CPU time of a JWT login (RS256; a role with audience, subject, bound claims and groups; batch tokens) in the embedded
 * service and OpenBao, with the same key and tokens. With `n`, the memory of the embedded service over so many logins.
 */
export const login: Bench = async ({ n, rounds = 9, seconds = 2 }, atEnd) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const tokens = Array.from({ length: people }, (_, at) => tokenOf(privateKey, `person-${at}`));
  const bodies = (await Promise.all(tokens)).map((jwt) => JSON.stringify({ role: 'bench', jwt }));
  const sides = { embedded: await startEmbedded(atEnd), openbao: await startService(atEnd) };
  const run = startLoad(atEnd);
  const load: Load = async (side, step) => {
    const result = await run({ url: `${side.address}/v1/auth/bench/login`, bodies, ...step });
    if (result.failed > 0) throw new Error(`${result.failed} logins failed`);
    return result;
  };
  for (const side of Object.values(sides)) {
    await prepare(side, publicKey);
    // So that every person is known.
    await load(side, { connections: 8, count: Math.min(n ?? 4_000, 4_000) });
  }
  if (n !== undefined) return await memoryOver(n, sides.embedded, load);

  const figures: Figure[] = [];
  for (const connections of [8, 64]) {
    const measured = await inTurn(rounds, {
      embedded: () => measureLogins(sides.embedded, () => load(sides.embedded, { connections, seconds })),
      openbao: () => measureLogins(sides.openbao, () => load(sides.openbao, { connections, seconds })),
    });
    figures.push(...figuresOf(connections, measured));
  }
  return figures;
};

interface Measured extends LoadResult {
  /** Logins a second. */
  rate: number;
  /** Microseconds of the server's CPU time for a login. */
  cpu: number;
}

async function measureLogins({ pid }: Side, run: () => Promise<LoadResult>): Promise<Measured> {
  const before = cpuSeconds(pid);
  const result = await run();
  const { sent, seconds } = result;
  return { ...result, rate: sent / seconds, cpu: ((cpuSeconds(pid) - before) / sent) * 1e6 };
}

function figuresOf(connections: number, measured: Record<'embedded' | 'openbao', Measured[]>): Figure[] {
  const of = (side: keyof typeof measured, what: keyof Measured) =>
    median(measured[side].map((one) => one[what]));
  const ratio = median(measured.embedded.map(({ cpu }, round) => cpu / (measured.openbao[round]?.cpu ?? 0)));
  return [
    figure(`${connections} connections, CPU a login, embedded service`, of('embedded', 'cpu'), ' µs'),
    figure('  OpenBao', of('openbao', 'cpu'), ' µs'),
    figure('  ratio', ratio, '', mostProcessorTime),
    figure('  p50, embedded service', of('embedded', 'p50'), ' ms'),
    figure('  p50, OpenBao', of('openbao', 'p50'), ' ms'),
    figure('  p99, embedded service, against OpenBao’s', of('embedded', 'p99'), ' ms', of('openbao', 'p99')),
    figure('  logins a second, embedded service', of('embedded', 'rate'), ' /s'),
    figure('  logins a second, OpenBao', of('openbao', 'rate'), ' /s'),
  ];
}

/** The service's resident memory, which must not grow with the logins. */
async function memoryOver(logins: number, side: Side, load: Load): Promise<Figure[]> {
  const sizes: number[] = [];
  for (let part = 0; part < 10; part += 1) {
    await load(side, { connections: 64, count: logins / 10 });
    sizes.push(residentMegabytes(side.pid));
  }
  const growth = median(sizes.slice(5)) / median(sizes.slice(0, 5));
  return [
    ...sizes.map((size, at) => figure(`resident after ${(logins * (at + 1)) / 10} logins`, size, ' MB')),
    figure('second half against the first', growth, '', 1.1),
  ];
}

/** Creates a method, a role, and a group that everyone is in. */
async function prepare(service: Service, publicKey: KeyObject): Promise<void> {
  const client = new ServiceClient(service);
  await client.post('sys/auth/bench', { type: 'jwt' });
  await client.post('auth/bench/config', {
    jwt_validation_pubkeys: [publicKey.export({ type: 'spki', format: 'pem' })],
    bound_issuer: issuer,
  });
  await client.post('auth/bench/role/bench', {
    ...{ role_type: 'jwt', user_claim: 'email', bound_audiences: ['secrets'], groups_claim: 'groups' },
    bound_subject: 'system:serviceaccount:bench:app',
    bound_claims: { team: ['one', 'two'], '/org/unit': 'login' },
    ...{ token_type: 'batch', token_policies: ['reader'], token_ttl: '1h' },
  });
  const mount = await client.read('sys/auth/bench');
  const group = await client.post('identity/group', {
    name: 'admins',
    type: 'external',
    policies: ['admin'],
  });
  await client.post('identity/group-alias', {
    name: 'admins',
    mount_accessor: mount?.data['accessor'],
    canonical_id: group.data['id'],
  });
  client.close();
}

function tokenOf(key: KeyObject, person: string): Promise<string> {
  const bound = { team: 'two', org: { unit: 'login' }, groups: ['admins', 'everybody'] };
  return new SignJWT({ ...bound, email: `${person}@example.com` })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(issuer)
    .setSubject('system:serviceaccount:bench:app')
    .setAudience('secrets')
    .setIssuedAt()
    .setExpirationTime('1d')
    .sign(key);
}

import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** Of those who sign in by JWT. */
export const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' });

/** How a token is made: by a sign-in, or by the token of another source. */
export interface TokenSource {
  kind: string;
  /** The sign-in that begins it: `apps/web`; undefined for tokens that root makes by hand. */
  origin?: string;
  /** The namespace of its policies. */
  namespace?: string;
  from?: number;
  make(server: TrafficServer, maker: string): Promise<Made>;
}

/** What came of making a token; without one, it was refused. */
export interface Made {
  token?: string;
}

/** A request by a token. */
export interface TrafficCall {
  method: string;
  path: string;
  body?: Record<string, unknown>;
  namespace?: string;
  /** Seconds. */
  wrapping?: number;
}

export interface Answer {
  status: number;
  auth?: Record<string, unknown>;
  data?: Record<string, unknown>;
  wrap_info?: Record<string, unknown>;
}

/** Where tokens are made. */
export interface TrafficServer {
  readonly rootToken: string;
  root(method: string, path: string, body?: Record<string, unknown>, namespace?: string): Promise<Answer>;
  ask(token: string | undefined, call: TrafficCall): Promise<Answer>;
  /** Asks with the client certificate. */
  askCertified(call: TrafficCall): Promise<Answer>;
}

/** Sign-ins of each kind, and what root makes by hand. */
export const signIns: readonly TokenSource[] = [
  { kind: 'approle', origin: 'apps/web', make: (server) => appRole(server, 'web', {}) },
  {
    kind: 'approle with a key role',
    origin: 'apps/web',
    make: (server) => appRole(server, 'web', { role: 'batch', username: 'x' }),
  },
  { kind: 'approle, wrapped', origin: 'apps/web', make: (server) => appRole(server, 'web', {}, 60) },
  { kind: 'batch', origin: 'apps/batch', make: (server) => appRole(server, 'batch', { team: 'shop' }) },
  {
    kind: 'userpass',
    origin: 'people/al.ice',
    make: (server) => signIn(server, 'auth/people/login/AL.ice', { password: 'x' }),
  },
  {
    kind: 'userpass',
    origin: 'people/bob',
    make: (server) => signIn(server, 'auth/people/login/bob', { password: 'x' }),
  },
  {
    kind: 'userpass',
    origin: 'people/eve',
    make: (server) => signIn(server, 'auth/people/login/eve', { password: 'x' }),
  },
  {
    kind: 'jwt',
    origin: 'staff/reader',
    make: async (server) => signIn(server, 'auth/staff/login', { role: 'reader', jwt: await jwt('zoe') }),
  },
  {
    kind: 'namespace',
    namespace: 'a',
    make: (server) => signIn(server, 'auth/up/login/carl', { password: 'x' }, 'a'),
  },
  {
    kind: 'certificate',
    origin: 'machines/shop',
    make: async (server) => {
      const call = { method: 'POST', path: 'auth/machines/login', body: {} };
      return opened(server, await server.askCertified(call), true);
    },
  },
  {
    kind: 'by hand',
    make: (server) =>
      child(server, server.rootToken, 'auth/token/create', { policies: ['p1', 'p2'], period: '1h' }),
  },
];

/**
 * Tokens of each kind that those of a source make, and that these make.
 *
 * @param from place of the source
 * @param first place of the first of these
 * @param asks policies that one of them asks for
 */
export function childrenOf(
  { kind: _, namespace: _namespace, make: _make, ...origin }: TokenSource,
  from: number,
  first: number,
  asks: string[],
): TokenSource[] {
  const of = (kind: string, path: string, body: Record<string, unknown>, wrapping?: number): TokenSource => ({
    kind,
    ...origin,
    from,
    make: (server, maker) => child(server, maker, path, body, wrapping),
  });
  return [
    of('child', 'auth/token/create', { meta: { role: 'other' }, display_name: 'kid' }),
    of('child that asks', 'auth/token/create', { policies: asks }),
    of('child without default', 'auth/token/create', { no_default_policy: true }),
    of('orphan', 'auth/token/create-orphan', {}),
    of('token role', 'auth/token/create/maker', {}),
    of('open token role', 'auth/token/create/open', {}),
    of('batch child', 'auth/token/create', { type: 'batch' }),
    of('wrapped child', 'auth/token/create', {}, 60),
    { ...of('grandchild', 'auth/token/create', {}), from: first },
  ];
}

async function appRole(
  server: TrafficServer,
  role: string,
  metadata: Record<string, string>,
  wrapping?: number,
): Promise<Made> {
  const id = (await server.root('GET', `auth/apps/role/${role}/role-id`)).data?.['role_id'];
  const secret = await server.root('POST', `auth/apps/role/${role}/secret-id`, {
    metadata: JSON.stringify(metadata),
  });
  return signIn(
    server,
    'auth/apps/login',
    { role_id: id, secret_id: secret.data?.['secret_id'] },
    '',
    wrapping,
  );
}

async function signIn(
  server: TrafficServer,
  path: string,
  body: Record<string, unknown>,
  namespace = '',
  wrapping?: number,
): Promise<Made> {
  return opened(
    server,
    await server.ask(undefined, { method: 'POST', path, body, namespace, wrapping }),
    true,
  );
}

/** Children are renewed in each way, as agents do. */
async function child(
  server: TrafficServer,
  maker: string,
  path: string,
  body: Record<string, unknown>,
  wrapping?: number,
): Promise<Made> {
  const answer = await server.ask(maker, {
    method: 'POST',
    path,
    body,
    ...(wrapping !== undefined && { wrapping }),
  });
  return opened(server, answer, body['type'] !== 'batch');
}

async function opened(server: TrafficServer, answer: Answer, isRenewed: boolean): Promise<Made> {
  const wrapped = answer.wrap_info?.['token'];
  const { auth } =
    typeof wrapped === 'string'
      ? await server.ask(wrapped, { method: 'POST', path: 'sys/wrapping/unwrap' })
      : answer;
  const token = auth?.['client_token'];
  if (typeof token !== 'string') return {};
  if (!isRenewed) return { token };
  await server.ask(token, { method: 'POST', path: 'auth/token/renew-self', body: {} });
  await server.root('POST', 'auth/token/renew', { token });
  await server.root('POST', 'auth/token/renew-accessor', { accessor: auth?.['accessor'] });
  return { token };
}

function jwt(sub: string): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 7_200;
  const claims = { sub, groups: ['team'], aud: 'bao', iat: exp - 7_200, exp };
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(privateKey);
}

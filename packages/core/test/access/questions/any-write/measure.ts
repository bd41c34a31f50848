import { exportJWK, FlattenedSign, generateKeyPair } from 'jose';
import { isObject } from '../../../../src/graph/values/json.ts';
import { textsOf } from '../../../../src/graph/values/loose-values.ts';
import type { Requests } from '../split-worlds/service.ts';
import { type Auth, type Doors, type Names, namesNow, type Pair, type SignIn } from './sign-ins.ts';
import { commonNames, policyNames } from './world.ts';

/** What principals can do: by principal, then by the sign-in that all begins with. */
export type Abilities = Map<string, Map<string, Set<string>>>;

/** Paths that are asked about, in the namespace of a token. */
const paths = `kv/a kv/b kv/c kv/creds kv/a/x kv/b/x kv/admin/x kv/ann/x kv/inner/x kv/p/x kv/fresh/x kv/bob/x
  kv/web/x kv/g/x secret/data/a secret/data/hidden moved/a auth/token/create auth/token/create/deployer auth/token/create/mid
  auth/token/create/fresh identity/oidc/token/app identity/oidc/token/fresh pki/issue/web pki/issue/ops
  pki/sign/web pki/sign-verbatim ssh/sign/ops sys/policies/acl/x sys/auth/x sys/namespaces/x
  auth/approle/role/ops/secret-id auth/approle/role/web/secret-id auth/userpass/users/x auth/jwt/role/x
  identity/entity identity/group team/kv/a`.split(/\s+/);
const capabilities = ['create', 'read', 'update', 'delete', 'list'];
/** Namespaces that requests may reach into. */
const below = ['team', 'lab'];
/** Values that someone may read a credential in. */
const readable = [
  'kv/a',
  'kv/b',
  'kv/c',
  'kv/creds',
  'kv/a/x',
  'secret/data/a',
  'secret/data/hidden',
  'team/kv/a',
];
/** A token, and what it leads to by two more credentials. */
const longest = 3;

/** A token, and how another like it is had: one with few uses is used up by them. */
interface Session {
  auth: Auth;
  again: SignIn;
}

/** Asks a world for all that its principals can do, now. */
export class Measuring {
  readonly #requests: Requests;
  readonly #doors: Doors;
  readonly #certificates: Record<string, Pair>;
  /** By all that decides what a token can do. */
  readonly #known = new Map<string, Promise<Set<string>>>();
  #names: Names = {};

  constructor(requests: Requests, doors: Doors, certificates: Record<string, Pair>) {
    this.#requests = requests;
    this.#doors = doors;
    this.#certificates = certificates;
  }

  async all(): Promise<Abilities> {
    this.#known.clear();
    this.#names = await namesNow(this.#requests);
    const principals = this.#doors.principals(this.#names, this.#certificates);
    const found = await Promise.all(
      principals.map(async ({ name, signIns }) => {
        const own = new Map<string, Set<string>>();
        // One by one: the groups of an entity are those of its last sign-in.
        for (const [label, signIn] of signIns) {
          const auth = await signIn();
          if (auth !== undefined) own.set(label, await this.#abilities({ auth, again: signIn }, 1));
        }
        return [name, own] as const;
      }),
    );
    return new Map([...found, ['anyone', new Map([['no token', await this.#withoutToken()]])]]);
  }

  #abilities(session: Session, depth: number): Promise<Set<string>> {
    const { client_token: _, policies, identity_policies: ofIdentity, ...rest } = session.auth;
    const key = JSON.stringify([policies.toSorted(), ofIdentity.toSorted(), rest, depth]);
    const known = this.#known.get(key) ?? this.#ask(session, depth);
    this.#known.set(key, known);
    return known;
  }

  async #ask(session: Session, depth: number): Promise<Set<string>> {
    const { client_token: token, place } = session.auth;
    const prefix = place === '' ? '' : `${place}/`;
    const { data } = await this.#requests.send('POST', `${prefix}sys/capabilities`, { token, paths });
    const can = (path: string, ...capabilities: string[]) => {
      const allowed: unknown = data[path];
      return Array.isArray(allowed) && allowed.some((one) => [...capabilities, 'root'].includes(String(one)));
    };
    const found = new Set<string>();
    for (const path of paths)
      for (const capability of capabilities)
        if (can(path, capability) && !below.some((one) => path.startsWith(`${one}/`)))
          found.add(`${capability} ${prefix}${path}`);
    if (place !== '') return found;
    for (const one of below) for (const each of await this.#reached(token, one)) found.add(each);
    if (depth === longest) return found;
    for (const next of await this.#next(session, can))
      for (const each of await this.#abilities(next, depth + 1)) found.add(each);
    return found;
  }

  /** Requests into a namespace, which has to be there. */
  async #reached(token: string, namespace: string): Promise<string[]> {
    const asked = { token, paths: ['kv/a', 'sys/policies/acl/x'] };
    const answer = await this.#requests.send('POST', `${namespace}/sys/capabilities`, asked);
    if (answer.status >= 300) return [];
    return asked.paths.flatMap((path) =>
      capabilities.flatMap((capability) =>
        textsOf(answer.data[path]).includes(capability) ? `${capability} ${namespace}/${path}` : [],
      ),
    );
  }

  /** Sends a request with a token of its own, where uses are counted. */
  async #send({ auth, again }: Session, method: string, path: string, body?: object) {
    const own = auth.num_uses > 0 ? await again() : auth;
    if (own === undefined) return undefined;
    return this.#requests.send(method, path, body, own.client_token).catch(() => undefined);
  }

  /** Every other token that one leads to. */
  async #next(session: Session, can: Can): Promise<Session[]> {
    const all = [
      ...this.#madeTokens(session, can),
      ...(await this.#identityTokens(session, can)),
      ...(await this.#issuedCertificates(session, can)),
      ...(await this.#readCredentials(session, can)),
      ...this.#secretIds(session, can),
    ];
    const found: Session[] = [];
    for (const again of all) {
      const auth = await again();
      if (auth !== undefined) found.push({ auth, again });
    }
    return found;
  }

  #madeTokens(session: Session, can: Can): SignIn[] {
    const own = session.auth.policies.filter((name) => name !== 'default');
    const roles = (this.#names['auth/token/roles'] ?? []).map((name) => `/${name}`);
    return ['', ...roles].flatMap((role) => {
      const path = `auth/token/create${role}`;
      if (!can(path, 'create', 'update')) return [];
      const each = (role === '' ? own : policyNames).map((name) => ({ policies: [name] }));
      const aliased = role === '' ? [] : ['ann', 'fresh'].map((name) => ({ entity_alias: name }));
      return [{}, ...each, ...aliased].map(
        (body): SignIn =>
          async () => {
            const maker = session.auth.num_uses > 0 ? await session.again() : session.auth;
            return maker && this.#doors.login(path, body, maker.client_token);
          },
      );
    });
  }

  async #identityTokens(session: Session, can: Can): Promise<SignIn[]> {
    const found: SignIn[] = [];
    for (const name of this.#names['identity/oidc/role'] ?? []) {
      const path = `identity/oidc/token/${name}`;
      if (!can(path, 'read')) continue;
      const jwt = (await this.#send(session, 'GET', path))?.data['token'];
      if (typeof jwt !== 'string') continue;
      for (const mount of ['self', 'jwt'])
        for (const role of this.#names[`auth/${mount}/role`] ?? [])
          found.push(() => this.#doors.login(`auth/${mount}/login`, { role, jwt }));
    }
    return found;
  }

  async #issuedCertificates(session: Session, can: Can): Promise<SignIn[]> {
    const found: SignIn[] = [];
    for (const role of this.#names['pki/roles'] ?? [])
      for (const common_name of commonNames) {
        const path = `pki/issue/${role}`;
        if (!can(path, 'create', 'update')) continue;
        const data = (await this.#send(session, 'POST', path, { common_name, ttl: '1h' }))?.data ?? {};
        const [cert, key] = [data['certificate'], data['private_key']];
        if (typeof cert !== 'string' || typeof key !== 'string') continue;
        for (const name of this.#names['auth/cert/certs'] ?? [])
          found.push(() => this.#doors.byCertificate({ cert, key }, name));
      }
    return found;
  }

  async #readCredentials(session: Session, can: Can): Promise<SignIn[]> {
    const found: SignIn[] = [];
    for (const path of readable) {
      if (!can(path, 'read')) continue;
      const data = (await this.#send(session, 'GET', path))?.data ?? {};
      const value = isObject(data['data']) ? data['data'] : data;
      const { role_id, secret_id, username, password, token } = value;
      if (typeof secret_id === 'string')
        found.push(() => this.#doors.login('auth/approle/login', { role_id, secret_id }));
      if (typeof token === 'string') found.push(() => this.#doors.byTokenItself(token));
      if (typeof password === 'string') found.push(() => this.#doors.byPassword(String(username), password));
    }
    return found;
  }

  #secretIds(session: Session, can: Can): SignIn[] {
    return (this.#names['auth/approle/role'] ?? []).flatMap((role) => {
      const at = `auth/approle/role/${role}`;
      if (!can(`${at}/secret-id`, 'create', 'update')) return [];
      return async () => {
        const { data } = await this.#requests.send('GET', `${at}/role-id`);
        const secret_id = (await this.#send(session, 'POST', `${at}/secret-id`, {}))?.data['secret_id'];
        return this.#doors.login('auth/approle/login', { role_id: data['role_id'], secret_id });
      };
    });
  }

  /** Certificates that anyone may order: an account without anything that binds it to someone. */
  async #withoutToken(): Promise<Set<string>> {
    const { address, namespace } = this.#requests.server;
    const url = `${address}/v1/${namespace}/pki/acme`;
    const nonce = await fetch(`${url}/new-nonce`, { method: 'HEAD' });
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const header = {
      alg: 'ES256',
      url: `${url}/new-account`,
      nonce: nonce.headers.get('replay-nonce') ?? '',
    };
    const payload = Buffer.from(JSON.stringify({ termsOfServiceAgreed: true }));
    const jws = await new FlattenedSign(payload)
      .setProtectedHeader({ ...header, jwk: await exportJWK(publicKey) })
      .sign(privateKey);
    const answer = await fetch(header.url, {
      method: 'POST',
      headers: { 'content-type': 'application/jose+json' },
      body: JSON.stringify(jws),
    });
    return new Set(answer.status === 201 ? ['order certificates at pki'] : []);
  }
}

type Can = (path: string, ...capabilities: string[]) => boolean;

/** What one has afterwards, by principal, that none of its tokens had before. */
export function gainsOf(before: Abilities, after: Abilities): string[] {
  return [...after].flatMap(([name, signIns]) => {
    const had = allOf(before.get(name));
    return [...allOf(signIns)].filter((one) => !had.has(one)).map((one) => `${name}: ${one}`);
  });
}

/** The same of the tokens of each sign-in alone. */
export function gainsBySignIn(before: Abilities, after: Abilities): string[] {
  return [...after].flatMap(([name, signIns]) =>
    [...signIns].flatMap(([label, has]) => {
      const had = before.get(name)?.get(label) ?? new Set();
      return [...has].filter((one) => !had.has(one)).map((one) => `${name} by ${label}: ${one}`);
    }),
  );
}

function allOf(signIns: ReadonlyMap<string, ReadonlySet<string>> = new Map()): Set<string> {
  return new Set([...signIns.values()].flatMap((one) => [...one]));
}

import { request } from 'node:https';
import { accountToken, signed } from '../../../../../cli/test/review/everyday/sign-ins.ts';
import { isObject } from '../../../../src/graph/values/json.ts';
import type { Requests } from '../split-worlds/service.ts';
import { newPassword, passwordOf } from './world.ts';

/** What a sign-in answers of its token. */
export interface Auth {
  client_token: string;
  entity_id: string;
  policies: string[];
  identity_policies: string[];
  metadata: Record<string, string> | null;
  num_uses: number;
  token_type: string;
  /** Namespace of the token, below that of the world. Empty for the world's. */
  place: string;
}

export type SignIn = () => Promise<Auth | undefined>;

/** Who has a credential from the start, and how they sign in with it: by words that stay the same. */
export interface Principal {
  name: string;
  signIns: [label: string, signIn: SignIn][];
}

/** A certificate with its key, in PEM. */
export interface Pair {
  cert: string;
  key: string;
}

/** What roles, users and the like a world has now, by the paths of their lists. */
export type Names = Record<string, string[]>;

const lists = `auth/userpass/users auth/approle/role auth/jwt/role auth/self/role auth/cert/certs
  auth/kubernetes/role auth/token/roles identity/oidc/role pki/roles team/auth/userpass/users`.split(/\s+/);

export async function namesNow(requests: Requests): Promise<Names> {
  const all = lists.map(async (path) => {
    const { data } = await requests.send('GET', `${path}?list=true`).catch(() => ({ data: {} }));
    const keys: unknown = data['keys' as keyof typeof data];
    return [path, Array.isArray(keys) ? keys.map(String) : []] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

/** People whom the provider behind `jwt` signs tokens for. */
const people = [
  { sub: 'p', team: 'a', groups: ['g'] },
  { sub: 'q', team: 'b', groups: [] },
];
const ended = () => ({ iat: secondsNow() - 3600, exp: secondsNow() - 1800 });
const secondsNow = () => Math.floor(Date.now() / 1000);
const accounts = ['shop/web', 'shop/other'];

/** Signs in to a world in all of its methods. */
export class Doors {
  readonly #requests: Requests;
  readonly #tlsPort: number;

  constructor(requests: Requests, tlsPort: number) {
    this.#requests = requests;
    this.#tlsPort = tlsPort;
  }

  /** A token that an answer has; undefined for a refusal, and where a second factor is asked for. */
  async login(path: string, body: object, token?: string): Promise<Auth | undefined> {
    const answer = await this.#requests.send('POST', path, body, token ?? '').catch(() => undefined);
    if (answer === undefined || answer.status >= 300) return undefined;
    return authOf(answer.auth, path.startsWith('team/') ? 'team' : '');
  }

  /** A token that someone comes by. */
  async byTokenItself(token: string): Promise<Auth | undefined> {
    const { status, data } = await this.#requests.send('GET', 'auth/token/lookup-self', undefined, token);
    if (status >= 300) return undefined;
    return authOf({ ...data, client_token: token, metadata: data['meta'], token_type: data['type'] }, '');
  }

  byPassword(user: string, password: string, place = ''): Promise<Auth | undefined> {
    return this.login(`${place}auth/userpass/login/${user}`, { password });
  }

  byCertificate({ cert, key }: Pair, name: string): Promise<Auth | undefined> {
    const { namespace } = this.#requests.server;
    return new Promise((resolve) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#tlsPort,
          path: '/v1/auth/cert/login',
          method: 'POST',
          headers: { 'x-vault-namespace': namespace },
          cert,
          key,
          rejectUnauthorized: false,
          agent: false,
        },
        async (answer) => {
          let text = '';
          for await (const chunk of answer) text += chunk;
          const body: unknown = text === '' ? {} : JSON.parse(text);
          resolve(isObject(body) ? authOf(body['auth'], '') : undefined);
        },
      );
      sent.on('error', () => resolve(undefined)).end(JSON.stringify({ name }));
    });
  }

  /** Everyone who has something to sign in with before a change, at all that there is to sign in to. */
  principals(names: Names, certificates: Record<string, Pair>): Principal[] {
    const list = (path: string) => names[path] ?? [];
    return [
      ...list('auth/userpass/users').map((name) => ({
        name: `user ${name}`,
        signIns: this.#byPasswords(name),
      })),
      ...list('team/auth/userpass/users').map((name) => ({
        name: `user ${name} of team`,
        signIns: this.#byPasswords(name, 'team/'),
      })),
      ...list('auth/approle/role').flatMap((name) => this.#jobs(name)),
      ...people.map(({ sub, ...claims }) => ({
        name: `person ${sub}`,
        signIns: this.#byToken(names, () => signed({ sub, uid: sub, aud: 'x', ...claims })),
      })),
      // Its token ended a while ago.
      {
        name: 'person late',
        signIns: this.#byToken(names, () => signed({ sub: 'late', aud: 'x', team: 'a', ...ended() })),
      },
      ...accounts.map((account) => ({
        name: `account ${account}`,
        signIns: list('auth/kubernetes/role').map((role): [string, SignIn] => [
          role,
          async () => this.login('auth/kubernetes/login', { role, jwt: await accountToken(account) }),
        ]),
      })),
      ...Object.entries(certificates).map(([name, pair]) => ({
        name: `certificate ${name}`,
        signIns: list('auth/cert/certs').map((role): [string, SignIn] => [
          role,
          () => this.byCertificate(pair, role),
        ]),
      })),
    ];
  }

  /** A wrong password takes as long to check as the right one: another is only tried then. */
  #byPasswords(name: string, place = ''): [string, SignIn][] {
    const signIn = async () =>
      (await this.byPassword(name, passwordOf(name), place)) ?? this.byPassword(name, newPassword, place);
    return [['a password', signIn]];
  }

  /** Who has a secret id of a role, and who knows the role's id alone. */
  #jobs(role: string): Principal[] {
    const at = `auth/approle/role/${role}`;
    const roleId = async () => (await this.#requests.send('GET', `${at}/role-id`)).data['role_id'];
    const login = async (secret: object) =>
      this.login('auth/approle/login', { role_id: await roleId(), ...secret });
    const fresh = async () => {
      const { data } = await this.#requests.send('POST', `${at}/secret-id`, {});
      return login({ secret_id: data['secret_id'] });
    };
    return [
      {
        name: `job ${role}`,
        signIns: [
          ['the secret id that it has', () => login({ secret_id: `sid-${role}` })],
          ['a new secret id', fresh],
        ],
      },
      { name: `role id ${role}`, signIns: [['no secret id', () => login({})]] },
    ];
  }

  /** By every role of the methods that read tokens of others. */
  #byToken(names: Names, token: () => Promise<string>): [string, SignIn][] {
    return ['jwt', 'self'].flatMap((mount) =>
      (names[`auth/${mount}/role`] ?? []).map((role): [string, SignIn] => [
        `${mount}/${role}`,
        async () => this.login(`auth/${mount}/login`, { role, jwt: await token() }),
      ]),
    );
  }
}

function authOf(auth: unknown, place: string): Auth | undefined {
  if (!isObject(auth) || typeof auth['client_token'] !== 'string' || auth['client_token'] === '')
    return undefined;
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  const metadata = isObject(auth['metadata']) ? (auth['metadata'] as Record<string, string>) : null;
  return {
    client_token: auth['client_token'],
    entity_id: String(auth['entity_id'] ?? ''),
    policies: texts(auth['policies']),
    identity_policies: texts(auth['identity_policies']),
    metadata,
    num_uses: Number(auth['num_uses'] ?? 0),
    token_type: String(auth['token_type'] ?? ''),
    place,
  };
}

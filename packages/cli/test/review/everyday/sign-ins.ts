import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { parsePolicy } from '../../../../core/src/graph/policies/parse-policy.ts';
import { signIn } from '../../../../secrets-service/src/identity-provider/sign-in.ts';
import type { ServiceClient } from '../../../../service-client/src/service-client.ts';
import type { Side } from './on-service.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** What signs the tokens of every `jwt` method of these plans. */
export const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
/** The password of every user of these plans. */
export const password = 'x';

export async function signed(claims: object, key = privateKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return await new CompactSign(Buffer.from(JSON.stringify({ iat: now, exp: now + 600, ...claims })))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(key);
}

/** How one may sign in, by words that are the same before and after a change. */
export type SignIns = Map<string, (client: ServiceClient) => Promise<string>>;

async function keys(client: ServiceClient, path: string): Promise<string[]> {
  return ((await client.list(path))?.data['keys'] as string[] | undefined) ?? [];
}

/** Every way to sign in that a service has: each role, with each value that it asks for. */
export async function signInsOf(client: ServiceClient): Promise<SignIns> {
  const found: SignIns = new Map();
  const mounts = Object.entries((await client.read('sys/auth'))?.data ?? {}) as [string, Side][];
  const login = async (client: ServiceClient, path: string, body: Side) =>
    String((await client.post(path, body)).auth?.['client_token']);
  const aliases = Object.values(
    (await client.list('identity/group-alias/id'))?.data['key_info'] ?? {},
  ) as Side[];
  for (const [at, { type, accessor }] of mounts) {
    const mount = `auth/${at.slice(0, -1)}`;
    const lists: Record<string, string> = {
      cert: 'certs',
      ns_token: 'roles',
      token: 'roles',
      userpass: 'users',
    };
    for (const name of await keys(client, `${mount}/${lists[type] ?? 'role'}`)) {
      const add = (words: string, signsIn: (client: ServiceClient) => Promise<string>) =>
        found.set([`${mount} ${name}`, words].join(' '), signsIn);
      const role =
        type === 'userpass'
          ? {}
          : (((await client.read(`${mount}/${lists[type] ?? 'role'}/${name}`))?.data ?? {}) as Side);
      if (type === 'userpass') add('', (client) => login(client, `${mount}/login/${name}`, { password }));
      if (type.endsWith('token'))
        for (const policies of [undefined, ...(role['allowed_policies'] ?? []).map((one: string) => [one])])
          add(policies?.join() ?? '', (client) => login(client, `auth/token/create/${name}`, { policies }));
      if (type === 'approle')
        add('without a secret id', async (client) => {
          const { role_id } = (await client.read(`${mount}/role/${name}/role-id`))?.data ?? {};
          return login(client, `${mount}/login`, { role_id });
        });
      if (type === 'approle')
        add('', async (client) => {
          const { role_id } = (await client.read(`${mount}/role/${name}/role-id`))?.data ?? {};
          const { data } = await client
            .post(`${mount}/role/${name}/secret-id`, {})
            .catch(() => ({ data: {} as Side }));
          return login(client, `${mount}/login`, { role_id, secret_id: data['secret_id'] });
        });
      if (type === 'kubernetes')
        for (const space of role['bound_service_account_namespaces'] ?? [])
          for (const account of role['bound_service_account_names'] ?? []) {
            const who = `${space}/${account}`.replaceAll('*', 'any');
            add(who, async (client) =>
              login(client, `${mount}/login`, { role: name, jwt: await accountToken(who, role['audience']) }),
            );
          }
      if (type === 'oidc')
        add('', async (client) => {
          const redirect_uri = role['allowed_redirect_uris'][0];
          const { data } = await client.post(`${mount}/oidc/auth_url`, { role: name, redirect_uri });
          const { redirectUrl } = await signIn({ authUrl: String(data['auth_url']), username: 'alice' });
          const query = Object.fromEntries(new URL(redirectUrl).searchParams);
          return String((await client.read(`${mount}/oidc/callback`, query))?.auth?.['client_token']);
        });
      if (type === 'jwt') {
        const groups = aliases.filter((one) => one['mount_accessor'] === accessor).map((one) => one['name']);
        for (const claims of tokensFor(role, groups))
          add(JSON.stringify(claims), async (client) =>
            login(client, `${mount}/login`, { role: name, jwt: await signed(claims) }),
          );
      }
    }
  }
  return found;
}

/** A token as a cluster makes it; its API server is a double that vouches for each. */
export async function accountToken(account: string, audience?: string): Promise<string> {
  const [namespace, name] = account.split('/');
  const serviceaccount = { name, uid: `uid of ${account}` };
  return signed({
    iss: 'https://cluster.example',
    sub: `system:serviceaccount:${namespace}:${name}`,
    ...(audience && { aud: [audience] }),
    'kubernetes.io': { namespace, serviceaccount },
  });
}

/** What a cluster says of such a token. */
export function reviewOf(token: string): object {
  const {
    sub,
    aud = [],
    'kubernetes.io': claims,
  } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const user = { username: sub, uid: claims.serviceaccount.uid, groups: ['system:serviceaccounts'] };
  return { kind: 'TokenReview', status: { authenticated: true, user, audiences: aud } };
}

/** Claims that a role asks for: one set for each value that it takes, and for no group, each, and all. */
function tokensFor(role: Side, groups: string[]): Side[] {
  const plain = (value: unknown) => String(value).replaceAll('*', 'x');
  const bound = Object.entries((role['bound_claims'] ?? {}) as Side).map(
    ([claim, values]): [string, string[]] => [claim, [values].flat().map(plain)],
  );
  const first = {
    sub: role['bound_subject'] || 'someone',
    aud: role['bound_audiences']?.[0],
    [role['user_claim']]: 'someone',
    ...Object.fromEntries(bound.map(([claim, values]) => [claim, values[0]])),
  };
  const all = bound.flatMap(([claim, values]) => values.map((value): Side => ({ ...first, [claim]: value })));
  const each = all.length === 0 ? [first] : all;
  const claim = role['groups_claim'];
  if (!claim) return each;
  const sets = [[], groups, ...groups.map((one) => [one])];
  return each.flatMap((claims) => sets.map((set): Side => ({ ...claims, [claim]: set })));
}

/** Paths that the policies of a service tell apart. */
export async function pathsOf(client: ServiceClient): Promise<string[]> {
  const names = (await keys(client, 'sys/policies/acl')).filter(
    (name) => name !== 'root' && name !== 'default',
  );
  const texts = await Promise.all(
    names.map(async (name) => String((await client.read(`sys/policies/acl/${name}`))?.data['policy'])),
  );
  const patterns = texts.flatMap((text) => parsePolicy(text).map(({ path }) => path));
  const words = (pattern: string) => pattern.replace(/\{\{.*?\}\}/g, 'ann').replaceAll('+', 'x');
  const paths = patterns.flatMap((one) => [words(one).replace(/\*$/, ''), words(one).replace(/\*$/, 'x')]);
  return [...new Set(paths)].filter((path) => !/\/$|^$/.test(path));
}

/** What each can do who signs in: `capability path`, and that they sign in. */
export async function abilities(
  client: ServiceClient,
  signIns: SignIns,
  paths: string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const [who, signsIn] of signIns) {
    const token = await signsIn(client).catch(() => undefined);
    if (token === undefined) continue;
    const data = await client
      .with({ token })
      .post('sys/capabilities-self', { paths })
      .then(
        (answer) => answer.data,
        () => undefined,
      );
    if (data === undefined) continue;
    found.add(`${who}: signs in`);
    for (const path of paths)
      for (const capability of data[path] as string[])
        if (capability !== 'deny') found.add(`${who}: ${capability} ${path}`);
  }
  return found;
}

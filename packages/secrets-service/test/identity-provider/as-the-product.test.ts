import { describe, expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import { developmentClient, type Person } from '../../src/identity-provider/development.ts';
import type { EmbeddedIdentityProvider } from '../../src/identity-provider/identity.ts';
import { startIdentity } from '../../src/identity-provider/identity.ts';
import { baseOf } from '../../src/identity-provider/issuer.ts';
import { authorization, idTokenOf } from './relying-party.ts';

// What the products do: docs/providers.md. What a kind does stands in packages/core/src/graph/kinds, under `embedded`.
const person = { email: 'ada@example.com', name: 'Ada Example', claims: {} };
const people: Person[] = [
  { ...person, username: 'ada', groups: ['admins'] },
  { ...person, username: 'charles', groups: [] },
];
const identity = started(() => startIdentity({ people }));

/** Claims of a token that say something of the person. */
async function claimsOf(
  kind: keyof EmbeddedIdentityProvider['issuers'],
  scope: string,
  username = 'ada',
): Promise<string[]> {
  const always = ['iss', 'aud', 'sub', 'exp', 'iat', 'nonce', 'at_hash'];
  const claims = await idTokenOf(identity().issuers[kind], username, scope);
  return Object.keys(claims)
    .filter((claim) => !always.includes(claim))
    .sort();
}

const names = ['name', 'nickname', 'preferred_username'];
describe.each([
  ['cloud_directory', ['email', 'groups'], ['name', 'preferred_username'], []],
  [
    'hosted_identity_platform',
    ['https://gatehouse.example/groups'],
    ['name', 'nickname'],
    ['email', 'email_verified'],
  ],
  ['access_management_suite', ['groups'], ['name'], ['email']],
  ['source_hosting', ['groups_direct', ...names], [], ['email', 'email_verified']],
  ['workspace_suite', ['hd'], ['name'], ['email', 'email_verified']],
  [
    'open_source_identity_server',
    ['groups', 'name', 'preferred_username', 'email', 'email_verified'],
    [],
    [],
  ],
  ['enterprise_identity_provider', ['groups'], names, ['email', 'email_verified']],
  ['oidc', ['groups'], names, ['email', 'email_verified']],
] as const)('a token of a %s', (kind, always, ofProfile, ofEmail) => {
  test.each<[string, readonly string[]]>([
    ['openid', always],
    ['openid profile', [...always, ...ofProfile]],
    ['openid email', [...always, ...ofEmail]],
  ])('for the scope %s has no more claims than the product gives', async (scope, expected) => {
    expect(await claimsOf(kind, scope)).toEqual([...expected].sort());
  });
});

test.each([
  ['cloud_directory', 'groups', undefined],
  ['hosted_identity_platform', 'https://gatehouse.example/groups', []],
  ['access_management_suite', 'groups', undefined],
  ['source_hosting', 'groups_direct', []],
  ['open_source_identity_server', 'groups', undefined],
  ['enterprise_identity_provider', 'groups', undefined],
  ['oidc', 'groups', []],
] as const)('somebody in no group has at a %s, in %s: %p', async (kind, claim, groups) => {
  expect((await idTokenOf(identity().issuers[kind], 'charles'))[claim]).toEqual(groups);
});

describe('a sign-in that asks for a scope', () => {
  /** How the authorization endpoint answers before anybody signs in. */
  async function answerTo(
    kind: keyof EmbeddedIdentityProvider['issuers'],
    change: Record<string, string>,
  ): Promise<unknown[]> {
    const { authUrl } = authorization(identity().issuers[kind], { prompt: 'none', ...change });
    const response = await fetch(authUrl, { redirect: 'manual', headers: { Accept: 'application/json' } });
    const location = response.headers.get('location');
    if (location === null)
      return [response.status, ((await response.json()) as { error: string }).error, 'on its page'];
    return [response.status, new URL(location).searchParams.get('error'), 'back at the client'];
  }
  const refused = [303, 'invalid_scope', 'back at the client'];
  const stopped = [400, 'invalid_scope', 'on its page'];
  const taken = [303, 'login_required', 'back at the client'];

  test.each([
    ['cloud_directory', refused],
    ['hosted_identity_platform', taken],
    ['access_management_suite', refused],
    ['source_hosting', stopped],
    ['workspace_suite', stopped],
    ['open_source_identity_server', refused],
    ['enterprise_identity_provider', refused],
    ['oidc', taken],
  ] as const)('that a %s does not know is answered as the product does', async (kind, expected) => {
    expect(await answerTo(kind, { scope: 'openid no-such-scope' })).toEqual(expected);
  });

  test.each([
    ['cloud_directory', 'https://graph.microsoft.com/.default'],
    ['cloud_directory', 'https://graph.microsoft.us/.default profile'],
    ['cloud_directory', 'GroupMember.Read.All'],
    ['workspace_suite', 'https://www.googleapis.com/auth/userinfo.email'],
    ['source_hosting', 'read_user'],
  ] as const)('of its own, a %s knows it: %s', async (kind, scope) => {
    expect(await answerTo(kind, { scope: `openid ${scope}` })).toEqual(taken);
  });

  test.each([
    ['cloud_directory', 'groups'],
    ['cloud_directory', 'https://graph.microsoft.com/'],
    ['cloud_directory', 'https://graph.mircosoft.com/.default'],
    ['workspace_suite', 'https://www.googleapis.com.attacker.example/auth/x'],
    ['enterprise_identity_provider', 'groups'],
  ] as const)('that looks like one of its own, a %s does not: %s', async (kind, scope) => {
    expect((await answerTo(kind, { scope: `openid ${scope}` }))[1]).toBe('invalid_scope');
  });

  test('for an address that nobody registered is never led there', async () => {
    const redirect_uri = 'https://attacker.example/oidc/callback';
    const answers = await Promise.all(
      (['cloud_directory', 'source_hosting', 'oidc'] as const).map((kind) =>
        answerTo(kind, { scope: 'openid no-such-scope', redirect_uri }),
      ),
    );
    expect(answers).toEqual(Array(3).fill([400, 'invalid_redirect_uri', 'on its page']));
  });
});

test.each(['basic', 'post'])(
  'a wrong client secret, sent by %s, is answered 401 invalid_client',
  async (authentication) => {
    const { clientId } = developmentClient;
    const response = await fetch(`${baseOf(identity().issuers.hosted_identity_platform)}/token`, {
      method: 'POST',
      headers: authentication === 'basic' ? { Authorization: `Basic ${btoa(`${clientId}:wrong`)}` } : {},
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: 'made-up',
        redirect_uri: developmentClient.redirectUris[0] ?? '',
        ...(authentication === 'post' && { client_id: clientId, client_secret: 'wrong' }),
      }),
    });
    const { error } = (await response.json()) as { error: string };
    expect([response.status, error]).toEqual([401, 'invalid_client']);
  },
);

import { describe, expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import type { Person } from '../../src/identity-provider/development.ts';
import { startIdentity } from '../../src/identity-provider/identity.ts';
import { signIn } from '../../src/identity-provider/sign-in.ts';
import { authorization, idTokenOf } from './relying-party.ts';

const people: Person[] = [
  {
    username: 'ada',
    email: 'ada@example.com',
    name: 'Ada <b>Example</b>',
    groups: ['admins'],
    claims: { cloud_directory: { groups: ['object-id'], department: 'engines' } },
  },
  { username: 'charles', email: 'charles@example.com', name: 'Charles', groups: [], claims: {} },
];
const identity = started(() => startIdentity({ people }));

describe('an id token', () => {
  test('says whose it is and for which client', async () => {
    expect(await idTokenOf(identity().issuers.enterprise_identity_provider, 'ada')).toMatchObject({
      iss: identity().issuers.enterprise_identity_provider,
      aud: 'gatehouse',
      sub: 'ada',
      nonce: 'nonce',
    });
  });

  test('carries what the person has at this kind of provider instead', async () => {
    expect(await idTokenOf(identity().issuers.cloud_directory, 'ada')).toMatchObject({
      groups: ['object-id'],
      department: 'engines',
    });
  });

  test('carries nothing of what the person has at another kind', async () => {
    expect(await idTokenOf(identity().issuers.workspace_suite, 'ada')).not.toHaveProperty('department');
  });
});

describe('a sign-in', () => {
  const at = (change: Record<string, string>) =>
    authorization(identity().issuers.source_hosting, change).authUrl;

  test('leads back to the client with its state', async () => {
    const { redirectUrl } = await signIn({ authUrl: at({}), username: 'ada' });
    expect(redirectUrl).toMatch(/^http:\/\/localhost:8250\/oidc\/callback\?code=[^&]+&state=state&/);
  });

  test('leads back to any port of the loopback address', async () => {
    const redirectUri = 'http://127.0.0.1:51234/oidc/callback';
    const { redirectUrl } = await signIn({ authUrl: at({ redirect_uri: redirectUri }), username: 'ada' });
    expect(redirectUrl).toContain(`${redirectUri}?code=`);
  });

  test('of someone unknown fails by name', async () => {
    await expect(signIn({ authUrl: at({}), username: 'nobody' })).rejects.toMatchObject({
      code: 'person_unknown',
      parts: { given: 'nobody' },
    });
  });

  test.each([
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
    [
      'a redirect URI that is not registered',
      { redirect_uri: 'http://localhost:8250/other' },
      'invalid_redirect_uri',
    ],
    [
      'a redirect URI off the loopback address',
      { redirect_uri: 'http://example.com:8250/oidc/callback' },
      'invalid_redirect_uri',
    ],
    ['another PKCE method than S256', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another response type than code', { response_type: 'id_token' }, 'unsupported_response_type'],
  ])('with %s is refused', async (_, change, error) => {
    await expect(signIn({ authUrl: at(change), username: 'ada' })).rejects.toMatchObject({
      code: 'sign_in_refused',
      parts: { given: expect.stringContaining(error) },
    });
  });

  test('without PKCE is refused', async () => {
    const url = new URL(at({}));
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    await expect(signIn({ authUrl: url.href, username: 'ada' })).rejects.toMatchObject({
      code: 'sign_in_refused',
    });
  });

  test('at the empty URL that a service gives for a redirect it does not allow says what to look at', async () => {
    await expect(signIn({ authUrl: '', username: 'ada' })).rejects.toMatchObject({
      code: 'auth_url_invalid',
    });
  });
});

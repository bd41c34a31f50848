import { describe, expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import { standalonePageHeaders } from '../../../host/src/pages/site.ts';
import { choosePersonPage } from '../../src/identity-provider/choose-person.ts';
import { startIdentity } from '../../src/identity-provider/identity.ts';
import { authorization } from './relying-party.ts';

test('a person’s name is shown as text', () => {
  const person = { username: 'eve', email: 'e@example.com', name: '<script>', groups: [], claims: {} };
  expect(choosePersonPage('http://127.0.0.1', [person]).body).toContain('&#60;script&#62;');
});

describe('the page of a sign-in', () => {
  const identity = started(startIdentity);

  /** Goes to the page that asks who signs in. */
  async function begin(): Promise<{ url: string; cookie: string }> {
    const { authUrl } = authorization(identity().issuers.source_hosting);
    const response = await fetch(authUrl, { redirect: 'manual' });
    const cookie = response.headers.getSetCookie().map((one) => one.split(';')[0]);
    return { url: response.headers.get('location') ?? '', cookie: cookie.join('; ') };
  }

  test('offers the people', async () => {
    const { url, cookie } = await begin();
    expect(await (await fetch(url, { headers: { cookie } })).text()).toContain('value="alice"');
  });

  test('has no script, and may stand in no frame', async () => {
    const { url, cookie } = await begin();
    const { headers } = await fetch(url, { headers: { cookie } });
    expect(headers.get('content-security-policy')).toBe(standalonePageHeaders['content-security-policy']);
  });

  test('asks again for somebody unknown, without showing what was posted', async () => {
    const { url, cookie } = await begin();
    const body = new URLSearchParams({ username: 'posted-name' });
    const response = await fetch(url, { method: 'POST', headers: { cookie }, body });
    expect(response.status).toBe(400);
    const page = await response.text();
    expect(page).toContain('no such person');
    expect(page).not.toContain('posted-name');
  });

  test('takes no body of more than 2,000 bytes', async () => {
    const { url, cookie } = await begin();
    const body = new URLSearchParams({ username: 'alice', padding: 'x'.repeat(2_000) });
    expect((await fetch(url, { method: 'POST', headers: { cookie }, body })).status).toBe(400);
  });

  test('is for the browser that began: without its cookie nothing goes on', async () => {
    const { url } = await begin();
    const body = new URLSearchParams({ username: 'alice' });
    const response = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });

  test('answers no other method', async () => {
    const { url, cookie } = await begin();
    expect((await fetch(url, { method: 'PUT', headers: { cookie } })).status).toBe(405);
  });

  test('lets one browser sign in first as one person, then as another', async () => {
    const cookies = new Map<string, string>();
    async function send(url: string, body?: URLSearchParams): Promise<Response> {
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        body,
        headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        redirect: 'manual',
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      return response;
    }
    async function signInAs(username: string): Promise<string | null> {
      const question = await send(authorization(identity().issuers.source_hosting).authUrl);
      const chosen = await send(next(question), new URLSearchParams({ username }));
      let end = await send(next(chosen));
      if (end.status === 200) {
        // The page whose script ends the previous person's session.
        const page = await end.text();
        const fields = [...page.matchAll(/name="(\w+)" value="([\w-]+)"/g)].map(
          ([, name, value]): [string, string] => [name!, value!],
        );
        end = await send(next(await send(/action="([^"]+)"/.exec(page)![1]!, new URLSearchParams(fields))));
      }
      return end.headers.get('location');
    }
    const next = (response: Response) => response.headers.get('location') ?? '';

    const back = expect.stringContaining('http://localhost:8250/oidc/callback?code=');
    expect([await signInAs('alice'), await signInAs('bob'), await signInAs('bob')]).toEqual([
      back,
      back,
      back,
    ]);
  });

  test('of an error escapes what was asked for', async () => {
    const { authUrl } = authorization(identity().issuers.source_hosting, { client_id: '<img src=x>' });
    const response = await fetch(authUrl, { headers: { Accept: 'text/html' } });
    expect(response.headers.get('content-type')).toMatch('text/html');
    expect(await response.text()).not.toContain('<img');
  });
});

import { beforeEach, describe, expect, test } from '@jest/globals';
import { ask, write } from '../../../../test/harness/ask.ts';
import { started } from '../../../../test/harness/started.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { signIn } from '../../../secrets-service/src/identity-provider/sign-in.ts';
import {
  HttpBrowser,
  problemsIn,
  providerLinkIn,
  type Shown,
} from '../../../secrets-service/test/ui/http-browser.ts';
import { startSignIn } from './sign-in-under-test.ts';

const callback = '/ui/sign-in/callback';

describeOnBothServers('signing in to the pages of runs at an identity provider', (server) => {
  let browser: HttpBrowser;
  const under = started(() => startSignIn(server()));
  beforeEach(() => {
    browser = new HttpBrowser(under().pages.address);
  });

  const begin = (fields: Record<string, string> = {}, from = browser) =>
    from.submit('/ui/sign-in/oidc', { method: 'staff', ...fields });
  /** The path and query with which the provider sends the browser back. */
  async function back(shown: Shown, username = 'alice'): Promise<string> {
    const { redirectUrl } = await signIn({ authUrl: providerLinkIn(shown), username });
    const { pathname, search, origin } = new URL(redirectUrl);
    expect([origin, pathname]).toEqual([under().pages.address, callback]);
    return `${pathname}${search}`;
  }
  const isSignedIn = async (one = browser) => (await one.visit('/ui/runs')).path === '';

  test('the page offers the methods that the service lists, and no other', async () => {
    const { text } = await browser.visit('/ui/sign-in');
    const names = [...text.matchAll(/<span class="method-path">([^<]*)</g)].map(([, path]) => path);
    expect(names).toEqual(['auth/staff']);
  });

  test('leads to the provider and back, to where one wanted to go, as that person', async () => {
    const { path, text } = await browser.visit(await back(await begin({ to: '/ui/runs?stack=dev' })));
    expect([path, text]).toEqual(['/ui/runs?stack=dev', expect.stringContaining('staff-alice')]);
  });

  test('gives the policies of the role that was chosen', async () => {
    under().pages.runs.clear();
    await browser.visit(await back(await begin({ role: 'deployer' })));
    expect((await browser.submit('/ui/runs/run-x/rerun')).status).toBe(404);
    const reader = new HttpBrowser(under().pages.address);
    await reader.visit(await back(await begin({}, reader)));
    expect((await reader.submit('/ui/runs/run-x/rerun')).status).toBe(403);
  });

  test('takes a method that is not listed by its path, however it is typed', async () => {
    const { text } = await browser.visit(await back(await begin({ method: ' auth/hidden/ ' }), 'bob'));
    expect(text).toContain('hidden-bob');
  });

  test('gives the browser another id, and no token, neither in a cookie nor in a page', async () => {
    await browser.visit('/ui/sign-in');
    const before = browser.cookies.get('gatehouse-run-tasks');
    const { text } = await browser.visit(await back(await begin()));
    expect(browser.cookies.get('gatehouse-run-tasks')).not.toBe(before);
    expect([text, ...browser.setCookies].join()).not.toMatch(/\b(?:hvs|s)\.[\w-]{20,}/);
  });

  test('signing out revokes the token', async () => {
    const before = await accessorsOf(server());
    await browser.visit(await back(await begin()));
    expect(await accessorsOf(server())).toHaveLength(before.length + 1);
    const { path, text } = await browser.submit('/ui/sign-out');
    expect([path, text]).toEqual(['/ui/sign-in?notice=revoked', expect.stringContaining('is revoked')]);
    expect(await accessorsOf(server())).toEqual(before);
  });

  test('signing in again revokes the token of before', async () => {
    const before = await accessorsOf(server());
    for (const role of ['reader', 'deployer']) await browser.visit(await back(await begin({ role })));
    expect(await accessorsOf(server())).toHaveLength(before.length + 1);
    await browser.submit('/ui/sign-out');
    expect(await accessorsOf(server())).toEqual(before);
  });

  describe('an answer of a provider is refused', () => {
    test('in another browser than that in which the sign-in began', async () => {
      const answer = await back(await begin());
      const other = new HttpBrowser(under().pages.address);
      await other.visit('/ui/sign-in');
      const { status, text } = await other.visit(answer);
      expect([status, text]).toEqual([400, expect.stringContaining('began in another browser')]);
      expect(await isSignedIn(other)).toBe(false);
      // Nobody else ends it.
      expect((await browser.visit(answer)).path).toBe('/ui/runs');
    });

    test('without a cookie', async () => {
      const answer = await back(await begin());
      expect((await fetch(under().pages.address + answer)).status).toBe(400);
    });

    test('a second time', async () => {
      const answer = await back(await begin());
      await browser.visit(answer);
      await browser.submit('/ui/sign-out');
      expect((await browser.visit(answer)).status).toBe(400);
      expect(await isSignedIn()).toBe(false);
    });

    test('after ten minutes', async () => {
      const answer = await back(await begin());
      under().clock.now += 10 * 60 * 1000;
      expect((await browser.visit(answer)).status).toBe(400);
      expect(await isSignedIn()).toBe(false);
    });

    test('with the code of somebody else’s sign-in', async () => {
      const other = new HttpBrowser(under().pages.address);
      const theirs = new URLSearchParams((await back(await begin({}, other), 'bob')).split('?')[1]);
      const own = new URLSearchParams((await back(await begin())).split('?')[1]);
      own.set('code', theirs.get('code') ?? '');
      const { status } = await browser.visit(`${callback}?${own}`);
      expect([status, await isSignedIn()]).toEqual([403, false]);
    });

    test('with two states, of which only the first is this browser’s', async () => {
      const other = new HttpBrowser(under().pages.address);
      const theirs = await back(await begin({}, other), 'bob');
      const own = new URLSearchParams((await back(await begin())).split('?')[1]);
      const shown = await browser.visit(`${callback}?state=${own.get('state')}&${theirs.split('?')[1]}`);
      expect([shown.status, await isSignedIn()]).toEqual([403, false]);
    });

    test('that refuses: it says so, with the code alone', async () => {
      const state = new URL(providerLinkIn(await begin())).searchParams.get('state') ?? '';
      const query = { state, error: 'access_denied', error_description: '<b>Call 555</b>' };
      const shown = await browser.visit(`${callback}?${new URLSearchParams(query)}`);
      const refusal = 'The identity provider refused the sign-in. It says: access_denied.';
      expect(answered(shown)).toEqual([403, refusal]);
    });

    test('posted by another site with a state that is not known: nothing of it comes back', async () => {
      for (const fields of [
        { state: 'x', error: '<script>' },
        { state: 'x\r\nSet-Cookie: a=b', code: 'y', id_token: 'z' },
      ] as Record<string, string>[]) {
        const response = await fetch(`${under().pages.address}${callback}`, {
          method: 'POST',
          redirect: 'manual',
          headers: { origin: 'https://evil.example' },
          body: new URLSearchParams(fields),
        });
        expect([response.status, response.headers.get('location')]).toEqual([303, `${callback}?`]);
      }
    });

    test('posted by another site for a sign-in in another browser: it ends there alone', async () => {
      const state = new URL(providerLinkIn(await begin())).searchParams.get('state') ?? '';
      const other = new HttpBrowser(under().pages.address);
      const { status, path } = await other.submit(callback, { state, error: 'access_denied' });
      expect([status, path]).toEqual([400, `${callback}?state=${state}&error=access_denied`]);
      expect((await browser.visit(path)).status).toBe(403);
    });

    test.each([
      '',
      '?state=',
      '?state=__proto__&code=x',
      '?state=%00&code=%F0%28',
      `?state=${'x'.repeat(4000)}&code=${'y'.repeat(4000)}`,
      '?code=<script>alert(1)</script>&error=<script>&iss=javascript:alert(1)&to=//evil.example',
    ])('that no sign-in here began: %j', async (query) => {
      const { status, text } = await browser.visit(`${callback}${query}`);
      expect(status).toBe(400);
      expect(text).not.toMatch(/<script>|evil|alert\(1\)/);
    });
  });

  describe('is refused, and says why,', () => {
    const refusals: [about: string, fields: Record<string, string>, problem: RegExp][] = [
      ['no method', { method: '' }, /^Enter the path/],
      ['a very long method', { method: 'x'.repeat(5000) }, /^Enter the path/],
      ['a very long role', { role: 'x'.repeat(5000) }, /^There is no role/],
    ];
    test.each(refusals)('%s', async (_, fields, problem) => {
      expect(answered(await begin(fields))).toEqual([422, expect.stringMatching(problem)]);
    });

    const cannotBegin: [about: string, fields: Record<string, string>][] = [
      ['a redirect URI that the role does not allow', { role: 'elsewhere' }],
      ['an unknown role', { role: 'unknown' }],
      ['an unknown method', { method: 'unknown' }],
      ['a path that leaves auth/', { method: '../sys/health' }],
      ['a method that is markup', { method: '<img src=x>' }],
      ['a method of tokens', { method: 'token' }],
    ];
    test.each(cannotBegin)('%s, in the same words as all that cannot begin', async (_, fields) => {
      const shown = await begin(fields);
      expect(answered(shown)).toEqual([
        400,
        `The secrets service did not start this sign-in. Check the auth method and the role: a method without a default role needs one, and the role has to allow the redirect URI ${under().pages.address}/ui/sign-in/callback. The log of the service has the reason.`,
      ]);
      expect(shown.text).not.toContain('<img');
    });

    test('claims that the role does not accept', async () => {
      const shown = await browser.visit(await back(await begin({ role: 'strict' })));
      const reason = expect.stringContaining('does not match any associated bound claim values');
      expect(answered(shown)).toEqual([403, reason]);
    });

    test('a token that may not say who it is', async () => {
      const shown = await browser.visit(await back(await begin({ role: 'nobody' })));
      expect(answered(shown)).toEqual([403, expect.stringContaining('lookup-self')]);
      expect(await isSignedIn()).toBe(false);
    });

    test('a token of another namespace, whatever its policies are called', async () => {
      await write(server(), 'sys/namespaces/tenant', {});
      const body = { policies: ['gatehouse-deploy'] };
      const { auth } = await write(server(), 'auth/token/create', body, 'tenant');
      const shown = await browser.submit('/ui/sign-in', { token: auth.client_token });
      const reason = expect.stringContaining('to another namespace of the secrets service');
      expect(answered(shown)).toEqual([403, reason]);
      expect(await isSignedIn()).toBe(false);
    });

    test('a way elsewhere', async () => {
      expect((await browser.visit(await back(await begin({ to: '//evil.example' })))).path).toBe('/ui/runs');
    });

    test('a form of another site', async () => {
      expect((await browser.post('/ui/sign-in/oidc', { method: 'staff' })).status).toBe(403);
    });
  });
});

/** The status, and each problem that the page names. */
const answered = (shown: Shown) => [shown.status, ...problemsIn(shown)];

/** Of the tokens of alice. */
async function accessorsOf(server: { address: string; token: string }): Promise<string[]> {
  const listed = await ask(server, { method: 'GET', path: 'auth/token/accessors?list=true' });
  const names: string[] = [];
  for (const accessor of listed.body.data.keys) {
    const { data } = await write(server, 'auth/token/lookup-accessor', { accessor });
    if (/alice/.test(data.display_name)) names.push(accessor);
  }
  return names.sort();
}

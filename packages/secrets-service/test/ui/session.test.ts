import { request as tlsRequest } from 'node:https';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ask } from '../../../../test/harness/ask.ts';
import { certificate } from '../../../../test/harness/certificate.ts';
import { MemoryStorage } from '../../../../test/harness/memory-storage.ts';
import { started } from '../../../../test/harness/started.ts';
import { startSecretsService } from '../../src/server.ts';
import { HttpBrowser, problemsIn } from './http-browser.ts';
import { startUiService } from './ui-service.ts';

const hour = 3600n * 1_000_000_000n;

let browser: HttpBrowser;
let now: bigint;
const service = started(() => startUiService({ now: () => now }));
beforeEach(() => {
  now = BigInt(Date.now()) * 1_000_000n;
  browser = new HttpBrowser(service().address);
});
now = BigInt(Date.now()) * 1_000_000n;

async function newToken(body: object = {}): Promise<string> {
  const { auth } = await service().write('auth/token/create', { policies: ['default'], ttl: '1h', ...body });
  return auth.client_token;
}
async function isGood(token: string): Promise<boolean> {
  const path = 'auth/token/lookup-self';
  return (await ask(service(), { method: 'GET', path, token })).status === 200;
}

const forms = [
  '/ui/sign-in/oidc',
  '/ui/sign-in/jwt',
  '/ui/sign-in/token',
  '/ui/sign-out',
  '/ui/token/renew',
  '/ui/token/reveal',
];

describe('a form', () => {
  test.each(forms)('to %s does nothing without the token of its page', async (path) => {
    await browser.signIn(await newToken());
    const [none, wrong, foreign] = [{}, { form_token: 'x' }, { form_token: await foreignFormToken() }];
    const statuses = [];
    for (const fields of [none, wrong, foreign]) {
      const response = await browser.post(path, fields as Record<string, string>);
      statuses.push(response.status);
    }
    expect(statuses).toEqual([403, 403, 403]);
    expect((await browser.visit('/ui/')).text).toContain('You are signed in');
  });

  test('does nothing without the cookie of its page', async () => {
    const form_token = await browser.formToken();
    browser.cookies.clear();
    const response = await browser.post('/ui/sign-in/token', { form_token, token: service().token });
    expect(response.status).toBe(403);
  });

  test('from before a sign-in is out of date after it', async () => {
    const form_token = await browser.formToken();
    await browser.signIn(await newToken());
    expect((await browser.post('/ui/token/reveal', { form_token })).status).toBe(403);
  });

  test.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencodedx',
  ])('is none as %s', async (type) => {
    const body = `form_token=${await browser.formToken()}&token=x`;
    const response = await browser.send('/ui/sign-in/token', {
      method: 'POST',
      body,
      headers: { 'Content-Type': type },
    });
    expect(response.status).toBe(415);
  });

  test('of more than 256 KiB is refused', async () => {
    const form_token = await browser.formToken();
    const response = await browser.post('/ui/sign-in/jwt', { form_token, jwt: 'x'.repeat(257 * 1024) });
    expect(response.status).toBe(413);
  });

  async function foreignFormToken(): Promise<string> {
    return new HttpBrowser(service().address).formToken();
  }
});

describe('the cookie', () => {
  test('is for these pages and their requests only, and no script reads it', async () => {
    await browser.visit('/ui/sign-in');
    expect(browser.setCookies).toEqual([
      expect.stringMatching(/^gatehouse=[\w-]{43}; Path=\/ui; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test('is not given again to who has one', async () => {
    await browser.visit('/ui/sign-in');
    await browser.visit('/ui/sign-in');
    expect(browser.setCookies).toHaveLength(1);
  });

  test('is another after sign-in and after sign-out: a planted one is worth nothing', async () => {
    const ids = new Set<string | undefined>();
    await browser.visit('/ui/sign-in');
    ids.add(browser.cookies.get('gatehouse'));
    await browser.signIn(await newToken());
    ids.add(browser.cookies.get('gatehouse'));
    await browser.submit('/ui/sign-out');
    ids.add(browser.cookies.get('gatehouse'));
    expect(ids.size).toBe(3);
  });

  test.each(['', 'x', `${'a'.repeat(43)}"`, '../../etc', 'é'.repeat(10)])(
    'that is not ours (%j) is replaced',
    async (id) => {
      browser.cookies.set('gatehouse', encodeURIComponent(id));
      await browser.visit('/ui/sign-in');
      expect(browser.cookies.get('gatehouse')).toMatch(/^[\w-]{43}$/);
    },
  );

  test('is for TLS only under TLS, and for this host alone', async () => {
    const server = await startSecretsService({ storage: new MemoryStorage(), tls: certificate });
    const cookies = await new Promise((resolve, reject) => {
      tlsRequest(`${server.address}/ui/sign-in`, { rejectUnauthorized: false }, (response) => {
        response.resume();
        resolve(response.headers['set-cookie']);
      })
        .on('error', reject)
        .end();
    });
    await server.close();
    expect(cookies).toEqual([
      expect.stringMatching(/^__Host-gatehouse=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
    ]);
  });
});

describe('a session', () => {
  test('ends with its token: revoked elsewhere', async () => {
    const token = await newToken();
    await browser.signIn(token);
    await service().write('auth/token/revoke', { token });
    const { path, text } = await browser.visit('/ui/');
    expect([path, text.includes('no longer valid')]).toEqual(['/ui/sign-in?notice=ended', true]);
  });

  test('ends with its token: come to its end', async () => {
    await browser.signIn(await newToken());
    now += hour;
    expect((await browser.visit('/ui/reach')).path).toBe('/ui/sign-in?notice=ended');
  });

  test('ends after eight hours without a request, not before', async () => {
    await browser.signIn(service().token);
    now += 8n * hour - 1n;
    expect((await browser.visit('/ui/')).path).toBe('');
    now += 8n * hour;
    expect((await browser.visit('/ui/')).path).toBe('/ui/sign-in');
  });

  test('ends by signing out, and its token with it', async () => {
    const token = await newToken();
    await browser.signIn(token);
    const signedIn = browser.cookies.get('gatehouse') ?? '';
    const { text } = await browser.submit('/ui/sign-out');
    expect(text).toContain('your token is revoked');
    expect(await isGood(token)).toBe(false);
    browser.cookies.set('gatehouse', signedIn);
    expect((await browser.visit('/ui/')).path).toBe('/ui/sign-in');
  });

  test('of a batch token ends by signing out, which says that the token goes on', async () => {
    const token = await newToken({ type: 'batch' });
    await browser.signIn(token);
    const { text } = await browser.submit('/ui/sign-out');
    expect(text).toContain('could not be revoked');
    expect(await isGood(token)).toBe(true);
  });

  test('lets a token be renewed', async () => {
    await browser.signIn(await newToken());
    now += hour / 2n;
    expect((await browser.visit('/ui/')).text).toContain(
      'ends in <span class="countdown" data-seconds-left="1800">30 min 0 s',
    );
    expect((await browser.submit('/ui/token/renew')).text).toContain('data-seconds-left="3600">1 h 0 min');
  });

  test('says why a token is not renewed', async () => {
    await browser.signIn(await newToken({ renewable: false }));
    const shown = await browser.submit('/ui/token/renew');
    expect([shown.status, problemsIn(shown)]).toEqual([400, ['lease is not renewable']]);
  });

  test('of a token that may not look itself up still shows that, and ends', async () => {
    await browser.signIn(await newToken({ policies: ['none'], no_default_policy: true }));
    const { status, text } = await browser.visit('/ui/');
    expect([status, text.includes('do not let you look up your own token')]).toEqual([200, true]);
  });
});

describe('the token', () => {
  test('is in no page, address or cookie, until its owner asks to see it', async () => {
    const token = await newToken();
    await browser.signIn(token);
    const pages = ['/ui/', '/ui/reach', '/ui/sign-in'];
    const texts = await Promise.all(pages.map(async (page) => JSON.stringify(await browser.visit(page))));
    expect([...texts, ...browser.setCookies].filter((text) => text.includes(token))).toEqual([]);
    expect((await browser.submit('/ui/token/reveal')).text).toContain(token);
  });

  test('is not shown to a link: its page takes a form only', async () => {
    await browser.signIn(await newToken());
    expect((await browser.visit('/ui/token/reveal')).status).toBe(405);
  });

  test('that is not good signs nobody in, and does not stand in the box again', async () => {
    const shown = await browser.signIn('s.not-a-token');
    expect([shown.status, problemsIn(shown)]).toEqual([
      403,
      ['The service does not know this token, or does not accept it from your address.'],
    ]);
    expect(shown.text).not.toContain('not-a-token');
  });
});

describe('every answer', () => {
  test.each([
    ['a page', '/ui/sign-in', 200],
    ['a redirect', '/ui/', 303],
    ['the first page without its slash', '/ui', 303],
    ['a namespace that climbs', '/ui/sign-in?namespace=a/../b', 400],
    ['what comes back from a provider', '/ui/vault/auth/staff/oidc/callback?state=x', 400],
    ['a namespace that is not there', '/ui/sign-in?namespace=gone', 404],
  ])('(%s) is never kept, framed or taken for something else', async (_, path, status) => {
    const response = await browser.send(path);
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('to %s is a refusal', async (method) => {
    expect((await browser.send('/ui/sign-in', { method })).status).toBe(405);
  });

  test('with style, script and icon may be kept for ever: their names change with them', async () => {
    const { text } = await browser.visit('/ui/sign-in');
    const names = [...text.matchAll(/(?:href|src)="(\/ui\/assets\/[^"]+)"/g)].map(([, name]) => name ?? '');
    const headers = await Promise.all(
      names.map(async (name) => (await browser.send(name)).headers.get('cache-control')),
    );
    expect(headers).toEqual(Array(3).fill('public, max-age=31536000, immutable'));
  });

  test('is a page that says so where there is none, to who is signed in', async () => {
    expect((await browser.visit('/ui/nothing/here')).path).toBe('/ui/sign-in');
    await browser.signIn(await newToken());
    const shown = await browser.visit('/ui/nothing/here');
    expect([shown.status, shown.text.includes('There is no such page')]).toEqual([404, true]);
  });
});

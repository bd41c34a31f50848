import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runPagesIssuerCallback } from '../../packages/core/src/environment/redirect-uris.ts';
import {
  beginAtIssuer,
  type IssuerUnderTest,
  startWithIssuer,
} from '../../packages/run-tasks/test/pages/issuer-under-test.ts';
import { instants, jwk, jwt, pem } from '../../packages/secrets-service/test/conformance/tokens.ts';
import { HttpBrowser, problemsIn } from '../../packages/secrets-service/test/ui/http-browser.ts';
import { type BareServer, serveRequests } from '../harness/bare-server.ts';

// docs/inside/measured/weaknesses.md#oauth-and-oidc-rfc-9700 and
// docs/inside/measured/weaknesses.md#json-web-tokens-rfc-8725.

/** An issuer that answers with whatever ID token a test gives it, once a code. */
class Double {
  address = '';
  /** Of a sign-in with this nonce. */
  token: (nonce: string, own: object) => string = (nonce, own) => jwt({ ...own, nonce });
  keys: object[] = [jwk];
  /** Of the last exchange. */
  exchanged = new URLSearchParams();
  nonce = '';
  #server!: BareServer;

  async start(fields: object = {}): Promise<void> {
    this.#server = await serveRequests((request, body, response) => {
      const json = (status: number, value: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.url === '/.well-known/openid-configuration')
        return json(200, { ...this.#document(), ...fields });
      if (request.url === '/jwks') return json(200, { keys: this.keys });
      this.exchanged = new URLSearchParams(body.toString());
      const id_token = this.token(this.nonce, this.own);
      return json(200, { access_token: 'an-access-token', token_type: 'Bearer', id_token });
    });
    this.address = this.#server.address;
  }

  /** The claims of a good token. */
  get own() {
    return { iss: this.address, aud: 'gatehouse', sub: 'ann', groups: ['admins'] };
  }

  #document() {
    const { address } = this;
    return {
      issuer: address,
      authorization_endpoint: `${address}/auth`,
      token_endpoint: `${address}/token`,
      jwks_uri: `${address}/jwks`,
      authorization_response_iss_parameter_supported: true,
    };
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

describe('an attacker at the issuer of the pages', () => {
  const issuer = new Double();
  let under: IssuerUnderTest;
  let browser: HttpBrowser;
  beforeAll(async () => {
    await issuer.start();
    under = await startWithIssuer({ issuer: issuer.address, groups: { admins: ['gatehouse-deploy'] } });
  });
  afterAll(async () => {
    await under.pages.close();
    await issuer.close();
  });
  beforeEach(() => {
    browser = new HttpBrowser(under.pages.address);
    issuer.token = (nonce, own) => jwt({ ...own, nonce });
    issuer.keys = [jwk];
  });

  /** Begins a sign-in; the answer of the issuer to it. */
  async function begin(from = browser): Promise<URLSearchParams> {
    const url = await beginAtIssuer(from);
    issuer.nonce = url.searchParams.get('nonce') ?? '';
    const state = url.searchParams.get('state') ?? '';
    return new URLSearchParams({ state, code: 'a-code', iss: issuer.address });
  }
  const come = (answer: URLSearchParams, by = browser) => by.visit(`${runPagesIssuerCallback}?${answer}`);
  const isSignedIn = async (by = browser) => (await by.visit('/ui/runs')).path === '';
  const refused = 'The identity provider refused the sign-in, or its answer is not valid.';

  test('is not needed for a good answer, which signs in', async () => {
    const answer = await begin();
    expect((await come(answer)).path).toBe('/ui/runs');
    expect(Object.fromEntries(issuer.exchanged)).toMatchObject({
      grant_type: 'authorization_code',
      code: 'a-code',
      code_verifier: expect.any(String),
      redirect_uri: `${under.pages.address}${runPagesIssuerCallback}`,
    });
  });

  test('cannot end a sign-in in another browser, and does not use it up', async () => {
    const answer = await begin();
    const other = new HttpBrowser(under.pages.address);
    await other.visit('/ui/sign-in');
    expect((await come(answer, other)).status).toBe(400);
    expect(await isSignedIn(other)).toBe(false);
    expect((await come(answer)).path).toBe('/ui/runs');
  });

  test('cannot have a victim end a sign-in that the attacker began', async () => {
    const attacker = new HttpBrowser(under.pages.address);
    const answer = await begin(attacker);
    await begin();
    expect((await come(answer)).status).toBe(400);
    expect(await isSignedIn()).toBe(false);
  });

  test('cannot repeat an answer', async () => {
    const answer = await begin();
    await come(answer);
    await browser.submit('/ui/sign-out');
    issuer.exchanged = new URLSearchParams();
    expect((await come(answer)).status).toBe(400);
    expect([await isSignedIn(), issuer.exchanged.size]).toEqual([false, 0]);
  });

  test('cannot come after ten minutes', async () => {
    const answer = await begin();
    under.clock.now += 10 * 60 * 1000;
    expect((await come(answer)).status).toBe(400);
    expect(await isSignedIn()).toBe(false);
  });

  const answers: [about: string, change: (answer: URLSearchParams) => void][] = [
    ['of another issuer', (answer) => answer.set('iss', 'https://evil.example')],
    ['without its issuer', (answer) => answer.delete('iss')],
    ['with two codes', (answer) => answer.append('code', 'another')],
    ['with two states', (answer) => answer.append('state', 'another')],
    ['without a code', (answer) => answer.delete('code')],
    ['with an ID token instead of a code', (answer) => answer.set('id_token', 'a.b.c')],
    ['with a token in its query', (answer) => answer.set('response', 'a.b.c')],
  ];
  test.each(answers)('cannot sign in by an answer %s', async (_, change) => {
    const answer = await begin();
    change(answer);
    const shown = await come(answer);
    expect([shown.status, problemsIn(shown), await isSignedIn()]).toEqual([403, [refused], false]);
  });

  const tokens: [about: string, token: (nonce: string, own: object) => string][] = [
    ['of another issuer', (nonce, own) => jwt({ ...own, nonce, iss: 'https://evil.example' })],
    ['of an issuer with a slash more', (nonce, own) => jwt({ ...own, nonce, iss: `${issuer.address}/` })],
    ['for another client', (nonce, own) => jwt({ ...own, nonce, aud: 'other' })],
    [
      'for another client, too, that it was issued to',
      (nonce, own) => jwt({ ...own, nonce, aud: ['gatehouse', 'other'], azp: 'other' }),
    ],
    ['of another sign-in', (_, own) => jwt({ ...own, nonce: 'of-another-sign-in' })],
    ['without a nonce', (_, own) => jwt({ ...own, nonce: undefined })],
    [
      'that is over',
      (nonce, own) => jwt({ ...own, nonce, iat: instants.longAgo, exp: instants.longAgo + 60 }),
    ],
    ['without an end', (nonce, own) => jwt({ ...own, nonce, exp: undefined })],
    ['of nobody', (nonce, own) => jwt({ ...own, nonce, sub: undefined })],
    ['signed with another key', (nonce, own) => jwt({ ...own, nonce }, { strange: true })],
    ['signed with the key of another id', (nonce, own) => jwt({ ...own, nonce }, { header: { kid: 'k2' } })],
    ['with a key of its own', (nonce, own) => jwt({ ...own, nonce }, { strange: true, header: { jwk } })],
    ['that is not signed', (nonce, own) => `${unsigned({ alg: 'none' }, { ...own, nonce })}.`],
    ['signed with the client secret', (nonce, own) => signed('a secret', { ...own, nonce })],
    ['signed with the public key as a secret', (nonce, own) => signed(pem, { ...own, nonce })],
    ['that is none', () => 'a.b.c'],
    ['that is empty', () => ''],
  ];
  test.each(tokens)('cannot sign in by a token %s', async (_, token) => {
    const answer = await begin();
    issuer.token = token;
    const shown = await come(answer);
    expect([shown.status, problemsIn(shown), await isSignedIn()]).toEqual([403, [refused], false]);
    expect(shown.text).not.toMatch(/an-access-token|a-code|evil/);
  });

  test('cannot have a text of the issuer on the page', async () => {
    const answer = await begin();
    const query = { state: answer.get('state') ?? '', iss: issuer.address };
    const refusal = { error: 'access_denied', error_description: '<script>alert(1)</script> call 555' };
    const shown = await come(new URLSearchParams({ ...query, ...refusal }));
    expect(problemsIn(shown)).toEqual([`${refused} It says: access_denied.`]);
    expect(shown.text).not.toMatch(/alert\(1\)|555/);
  });

  test.each([
    ['a name that is markup', { sub: '<img src=x onerror=alert(1)>' }, true],
    ['a name that reads like another', { sub: '\u202enimda' }, true],
    ['a name that is endless', { sub: 'x'.repeat(5000) }, false],
    ['a group of every object', { groups: ['__proto__', 'constructor', 'toString'] }, false],
    ['groups in another case', { groups: ['Admins', 'ADMINS', ' admins'] }, false],
    ['groups as an object', { groups: { admins: true } }, false],
    ['a claim in another case', { groups: undefined, Groups: ['admins'] }, false],
  ])('gets no further by %s', async (_, claims, isIn) => {
    const answer = await begin();
    issuer.token = (nonce, own) => jwt({ ...own, nonce, ...claims });
    await come(answer);
    expect(await isSignedIn()).toBe(isIn);
    if (isIn) expect((await browser.visit('/ui/runs')).text).not.toMatch(/<img|\u202e/);
  });

  test('cannot go to another site afterwards', async () => {
    const url = await beginAtIssuer(browser, { to: '//evil.example' });
    issuer.nonce = url.searchParams.get('nonce') ?? '';
    const state = url.searchParams.get('state') ?? '';
    expect((await come(new URLSearchParams({ state, code: 'a-code', iss: issuer.address }))).path).toBe(
      '/ui/runs',
    );
  });

  test('cannot begin a sign-in by a form of another site', async () => {
    expect((await browser.post('/ui/sign-in/issuer', {})).status).toBe(403);
  });

  test('gets 429 as one person without a group, from whichever browser, and does not learn more', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      const by = new HttpBrowser(under.pages.address);
      const answer = await begin(by);
      issuer.token = (nonce, own) => jwt({ ...own, nonce, sub: 'mallory', groups: [] });
      statuses.push((await come(answer, by)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(403), 429]);
    issuer.token = (nonce, own) => jwt({ ...own, nonce });
    expect((await come(await begin())).path).toBe('/ui/runs');
  });
});

test('guessing codes from one address ends after a hundred, for that address alone', async () => {
  const issuer = new Double();
  await issuer.start();
  issuer.token = () => 'a.b.c';
  const settings = { issuer: issuer.address, groups: { admins: [] } };
  const { pages } = await startWithIssuer(settings, { trustedProxies: ['127.0.0.1'] });
  const browser = new HttpBrowser(pages.address);
  const guess = async (address: string) => {
    const state = (await beginAtIssuer(browser)).searchParams.get('state') ?? '';
    const answer = new URLSearchParams({ state, code: 'a-guess', iss: issuer.address });
    const headers = { 'x-forwarded-for': address };
    return (await browser.send(`${runPagesIssuerCallback}?${answer}`, { headers })).status;
  };
  for (let count = 0; count < 100; count += 1) await guess('203.0.113.9');
  issuer.exchanged = new URLSearchParams();
  expect([await guess('203.0.113.9'), issuer.exchanged.size]).toEqual([429, 0]);
  expect(await guess('203.0.113.10')).toBe(403);
  await pages.close();
  await issuer.close();
});

test.each([
  ['names another issuer', { issuer: 'https://evil.example' }],
  ['has no keys', { jwks_uri: undefined }],
])('a document that %s begins no sign-in', async (_, fields) => {
  const issuer = new Double();
  await issuer.start(fields);
  const { pages } = await startWithIssuer({ issuer: issuer.address, groups: { admins: [] } });
  expect((await new HttpBrowser(pages.address).submit('/ui/sign-in/issuer')).status).toBe(503);
  await pages.close();
  await issuer.close();
});

function unsigned(header: object, claims: object): string {
  const times = { iat: instants.now, exp: instants.farOff };
  return [header, { ...times, ...claims }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
}

function signed(secret: string, claims: object): string {
  const text = unsigned({ alg: 'HS256', kid: 'k1' }, claims);
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

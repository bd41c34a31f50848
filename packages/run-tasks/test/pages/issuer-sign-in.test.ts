import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runPagesIssuerCallback } from '../../../core/src/environment/redirect-uris.ts';
import {
  developmentClient,
  developmentPeople,
} from '../../../secrets-service/src/identity-provider/development.ts';
import {
  type EmbeddedIdentityProvider,
  startIdentity,
} from '../../../secrets-service/src/identity-provider/identity.ts';
import { signIn } from '../../../secrets-service/src/identity-provider/sign-in.ts';
import { HttpBrowser, problemsIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { issuerSessionMs } from '../../src/pages/sign-in-pages.ts';
import { beginAtIssuer, type IssuerUnderTest, pathOf, startWithIssuer } from './issuer-under-test.ts';
import { run, startPages } from './page-server.ts';

const redirectUris = [`http://127.0.0.1:8300${runPagesIssuerCallback}`];
const clients = { open_source_identity_server: [{ ...developmentClient, redirectUris }] };
const { clientId, clientSecret } = developmentClient;
async function comeBack(browser: HttpBrowser, username: string, fields: Record<string, string> = {}) {
  const authUrl = (await beginAtIssuer(browser, fields)).href;
  return browser.visit(pathOf((await signIn({ authUrl, username })).redirectUrl));
}

describe('signing in to the pages of runs at an issuer of their own', () => {
  let identity: EmbeddedIdentityProvider;
  let under: IssuerUnderTest;
  let browser: HttpBrowser;
  beforeAll(async () => {
    const carol = { username: 'carol', email: 'carol@example.com', name: 'Carol', groups: [], claims: {} };
    identity = await startIdentity({ people: [...developmentPeople, carol], clients });
    const issuer = identity.issuers.open_source_identity_server;
    const groups = { admins: ['gatehouse-deploy', 'gatehouse-accept'], developers: [] };
    under = await startWithIssuer({ issuer, clientId, clientSecret, groups });
    under.pages.runs.set('run-1', run());
    under.pages.runs.set(
      'run-2',
      run({
        id: 'run-2',
        status: 'waiting_for_acceptance',
        acceptWith: { namespace: '', name: 'gatehouse-accept' },
      }),
    );
  });
  afterAll(async () => {
    await under.pages.close();
    await identity.close();
  });
  beforeEach(() => {
    browser = new HttpBrowser(under.pages.address);
    under.pages.acts.length = 0;
  });

  test('the sign-in page offers it by its host', async () => {
    const { text } = await browser.visit('/ui/sign-in');
    expect(text).toContain(`<span class="method-name">${new URL(identity.address).host}</span>`);
  });

  test('asks with state, nonce and PKCE, and for a code', async () => {
    const { searchParams } = await beginAtIssuer(browser);
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: 'gatehouse',
      scope: 'openid',
      code_challenge_method: 'S256',
      redirect_uri: `${under.pages.address}${runPagesIssuerCallback}`,
      state: expect.any(String),
      nonce: expect.any(String),
      code_challenge: expect.any(String),
    });
  });

  test('leads to where the person wanted to go, under a name that the secrets service never gives', async () => {
    const { path, text } = await comeBack(browser, 'alice', { to: '/ui/runs/run-1' });
    const name = `${new URL(identity.address).host}/alice`;
    expect([path, text]).toEqual(['/ui/runs/run-1', expect.stringContaining(`>${name}<`)]);
    await browser.submit('/ui/runs/run-1/cancel');
    expect(under.pages.acts).toEqual([`canceled run-1 ${name}`]);
  });

  test('asks the secrets service nothing', async () => {
    await comeBack(browser, 'alice');
    under.pages.state.isReachable = false;
    expect((await browser.visit('/ui/runs')).status).toBe(200);
    under.pages.state.isReachable = true;
  });

  test('a group without policies may look, and nothing else', async () => {
    await comeBack(browser, 'bob');
    expect((await browser.visit('/ui/runs/run-1')).status).toBe(200);
    expect((await browser.submit('/ui/runs/run-1/cancel')).status).toBe(403);
    expect(under.pages.acts).toEqual([]);
  });

  test('a person in none of the groups is refused', async () => {
    const shown = await comeBack(browser, 'carol');
    expect([shown.status, problemsIn(shown)]).toEqual([
      403,
      ['You signed in, but none of your groups may look at these pages.'],
    ]);
    expect((await browser.visit('/ui/runs')).path).toContain('/ui/sign-in');
  });

  test('lasts an hour, whatever is done meanwhile', async () => {
    await comeBack(browser, 'alice');
    under.clock.now += issuerSessionMs - 1;
    expect((await browser.visit('/ui/runs')).path).toBe('');
    under.clock.now += 1;
    const { path } = await browser.visit('/ui/runs');
    expect(path).toBe('/ui/sign-in?notice=ended&to=%2Fui%2Fruns');
  });

  test('signing out ends the session, and says that the provider’s may go on', async () => {
    await comeBack(browser, 'alice');
    const { path } = await browser.submit('/ui/sign-out');
    expect(path).toBe('/ui/sign-in?notice=left');
    expect((await browser.visit('/ui/runs')).path).toContain('/ui/sign-in');
  });

  test('a token takes the place of it, and it of a token', async () => {
    await comeBack(browser, 'alice');
    await browser.submit('/ui/sign-in', { token: 'a-readers-token' });
    expect((await browser.visit('/ui/runs')).text).toContain('staff-bob');
    await comeBack(browser, 'alice');
    expect((await browser.visit('/ui/runs')).text).toContain('/alice');
  });
});

test('what the claims give decides: another claim for the name, and a place in a claim for the groups', async () => {
  const claims = { open_source_identity_server: { realm_access: { roles: ['deploys', 'constructor'] } } };
  const dan = { username: 'dan', email: 'dan@example.com', name: 'Dan', groups: [], claims };
  const identity = await startIdentity({ people: [dan], clients });
  const { pages } = await startWithIssuer({
    issuer: identity.issuers.open_source_identity_server,
    clientId,
    clientSecret,
    scopes: ['email'],
    userClaim: 'email',
    groupsClaim: '/realm_access/roles',
    groups: { deploys: ['gatehouse-deploy'] },
  });
  const { text } = await comeBack(new HttpBrowser(pages.address), 'dan');
  expect(text).toContain('/dan@example.com<');
  await pages.close();
  await identity.close();
});

test('an issuer that does not answer is said so, and a token still signs in', async () => {
  const { pages } = await startWithIssuer({ issuer: 'http://127.0.0.1:1', groups: { a: [] } });
  const browser = new HttpBrowser(pages.address);
  const shown = await browser.submit('/ui/sign-in/issuer');
  expect([shown.status, problemsIn(shown)]).toEqual([
    503,
    ['The identity provider does not answer as it should. Try again in a moment.'],
  ]);
  await browser.submit('/ui/sign-in', { token: 'a-readers-token' });
  expect((await browser.visit('/ui/runs')).status).toBe(200);
  await pages.close();
});

test('pages without an issuer of their own have none of its addresses', async () => {
  const pages = await startPages();
  const browser = new HttpBrowser(pages.address);
  expect((await browser.submit('/ui/sign-in/issuer')).status).toBe(404);
  expect((await browser.visit(`${runPagesIssuerCallback}?state=a&code=b`)).status).toBe(404);
  await pages.close();
});

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ask, write as writeTo } from '../../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { started } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { listen } from '../../../host/src/listen.ts';
import { developmentClient } from '../../../secrets-service/src/identity-provider/development.ts';
import { startIdentity } from '../../../secrets-service/src/identity-provider/identity.ts';
import { signIn } from '../../../secrets-service/src/identity-provider/sign-in.ts';
import {
  type ScriptedIssuer,
  startScriptedIssuer,
} from '../../../secrets-service/test/auth/scripted-issuer.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { begin, failed, wordsOf } from '../running-command.ts';

const folder = temporaryFolder();

/** Runs `gatehouse login`; `url` is the address that it asks a person to open. */
function login(argv: string[], address: string, piped?: string) {
  const { terminal, ended: done } = begin(['login', ...argv], { VAULT_ADDR: address }, folder, { piped });
  async function url(): Promise<string> {
    for (;;) {
      const [found] = /^ {2}(http\S+)$/m.exec(terminal.stderr.text)?.slice(1) ?? [];
      if (found !== undefined) return found;
      await Promise.race([sleep(10), done.then(({ err }) => Promise.reject(new Error(err)))]);
    }
  }
  return { done, url };
}

const browserLogin = (argv: string[], address: string) =>
  login(['--no-browser', '--port', '0', '--path', 'staff', ...argv], address);

/** What a browser shows at the end of the way that a redirect leads. */
async function openPage(redirectUrl: string, init?: RequestInit): Promise<string> {
  return (await fetch(redirectUrl, init)).text();
}

const identity = started(startIdentity);

describeOnBothServers('gatehouse login', (server) => {
  const write = (path: string, body: object) => writeTo(server(), path, body);
  const configure = (keys: object = {}) =>
    write('auth/staff/config', {
      oidc_discovery_url: identity().issuers.enterprise_identity_provider,
      oidc_client_id: developmentClient.clientId,
      oidc_client_secret: developmentClient.clientSecret,
      default_role: 'reader',
      ...keys,
    });
  beforeAll(async () => {
    await write('sys/auth/staff', { type: 'oidc' });
    await configure();
    const allowed_redirect_uris = ['http://localhost:8250/oidc/callback'];
    const role = { user_claim: 'email', oidc_scopes: ['email'], allowed_redirect_uris };
    await write('auth/staff/role/reader', { ...role, token_policies: ['secrets-read'], token_ttl: '1h' });
    await write('auth/staff/role/admin', { ...role, bound_claims: { groups: ['admins'] } });
    await write('auth/staff/role/elsewhere', {
      ...role,
      allowed_redirect_uris: ['https://secrets.example/ui/vault/auth/staff/oidc/callback'],
    });
    const workloads = identity().issuers.container_orchestrator;
    await write('sys/auth/jwt', { type: 'jwt' });
    await write('auth/jwt/config', { oidc_discovery_url: workloads });
    await write('auth/jwt/role/web', {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_subject: 'system:serviceaccount:shop:web',
      bound_audiences: [workloads],
      token_policies: ['secrets-read'],
      token_ttl: '10m',
    });
  });

  describe('by browser', () => {
    test('prints the token and the policies of who signed in', async () => {
      const { done, url } = browserLogin(['--role', 'reader'], server().address);
      const { redirectUrl } = await signIn({ authUrl: await url(), username: 'alice' });
      expect(await openPage(redirectUrl)).toContain('<h1>Signed in</h1>');
      const { code, out } = await done;
      expect(code).toBe(0);
      expect(out).toMatch(
        /^Signed in as reader\n {2}Token {5}\S+\n {2}Accessor {2}\S+\n {2}Policies {2}default, secrets-read\n {2}Lasts {5}3600 seconds, renewable\n$/,
      );
    });

    test('gives a token that works, to nobody but standard output', async () => {
      const { done, url } = browserLogin(['--json'], server().address);
      const page = await openPage((await signIn({ authUrl: await url(), username: 'bob' })).redirectUrl);
      const { out, err } = await done;
      const { result, token, policies, metadata, leaseSeconds, renewable, tokenType } = JSON.parse(out);
      expect({ result, policies, metadata, leaseSeconds, renewable, tokenType }).toEqual({
        result: 'signed_in',
        policies: ['default', 'secrets-read'],
        metadata: { role: 'reader' },
        leaseSeconds: 3600,
        renewable: true,
        tokenType: 'service',
      });
      const self = await ask(server(), { method: 'GET', path: 'auth/token/lookup-self', token });
      expect(self.status).toBe(200);
      expect(page + err).not.toContain(token);
    });

    test('waits at the address of docs/inside/specification.md B-2, on the port that was asked for', async () => {
      const { done, url } = browserLogin([], server().address);
      const redirectUri = new URL(await url()).searchParams.get('redirect_uri');
      expect(redirectUri).toMatch(/^http:\/\/localhost:\d+\/oidc\/callback$/);
      await openPage(`${redirectUri}?state=x`);
      await done;
    });

    test('takes what a provider posts', async () => {
      await configure({ oidc_response_mode: 'form_post' });
      const { done, url } = browserLogin([], server().address);
      const authUrl = new URL(await url());
      // The provider would answer with a page that posts itself; what it posts is what the query would hold.
      authUrl.searchParams.delete('response_mode');
      const { redirectUrl } = await signIn({ authUrl: authUrl.href, username: 'alice' });
      const { origin, pathname, searchParams } = new URL(redirectUrl);
      expect(await openPage(origin + pathname, { method: 'POST', body: searchParams })).toContain(
        'Signed in',
      );
      expect((await done).code).toBe(0);
      await configure();
    });

    test('is refused by the service, with its reason', async () => {
      const { done, url } = browserLogin(['--role', 'admin'], server().address);
      const { redirectUrl } = await signIn({ authUrl: await url(), username: 'bob' });
      expect(await openPage(redirectUrl)).toContain('<h1>Not signed in</h1>');
      const { code, err, out } = await done;
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('claim "groups" does not match any associated bound claim values');
      expect(err).toContain('(login_refused)');
    });

    test('is refused by the provider, with its reason, which is shown as text', async () => {
      const { done, url } = browserLogin(['--json'], server().address);
      const { searchParams } = new URL(await url());
      const query = new URLSearchParams({
        state: searchParams.get('state') ?? '',
        error: 'access_denied',
        error_description: '<script>\u001b[2J no',
      });
      const page = await openPage(`${searchParams.get('redirect_uri')}?${query}`);
      expect(page).toContain('access_denied: &#60;script&#62;');
      const { code, out, err } = await done;
      expect({ code, ...JSON.parse(out) }).toEqual({
        code: 2,
        result: 'failed',
        error: { code: 'sign_in_refused', message: expect.stringContaining('access_denied') },
      });
      expect(err).not.toContain('\u001b');
    });

    test('does not take the answer to another login', async () => {
      const { done, url } = browserLogin([], server().address);
      const { searchParams } = new URL(await url());
      await openPage(`${searchParams.get('redirect_uri')}?state=st_other&code=theirs`);
      expect(await done).toMatchObject(failed('login_state_wrong', 2));
    });

    test('ends when nobody comes back', async () => {
      const { done } = browserLogin(['--timeout', '1'], server().address);
      const { code, err } = await done;
      expect(code).toBe(2);
      expect(err).toContain('The browser did not return from the identity provider within 1 seconds');
    });

    test.each([
      ['a role that does not allow the redirect', ['--role', 'elsewhere'], 2, 'auth_url_invalid'],
      ['a role that there is not', ['--role', 'nobody'], 2, 'login_refused'],
      ['a method that is not for people', ['--path', 'jwt'], 2, 'login_refused'],
      ['a path with an empty part', ['--path', 'a//b'], 1, 'path_invalid'],
    ])('ends at once for %s', async (_, argv, expected, reason) => {
      const { code, err } = await browserLogin(argv, server().address).done;
      expect({ code, err }).toEqual({ code: expected, err: expect.stringContaining(`(${reason})`) });
    });

    test('says so when its port is taken', async () => {
      const other = createServer();
      const port = await listen(other, 0);
      const line = `--no-browser --path staff --port ${port}`;
      const { code, err } = await login(wordsOf(line), server().address).done;
      other.close();
      expect(code).toBe(1);
      expect(err).toContain(`cannot listen on port ${port} of 127.0.0.1`);
    });
  });

  describe('with a JWT', () => {
    const subject = 'system:serviceaccount:shop:web';
    let file: string;
    beforeEach(async () => {
      file = join(folder, 'token.txt');
      writeFileSync(file, `${await identity().signWorkloadToken({ subject })}\n`);
    });

    test('from a file prints the token and the policies', async () => {
      const { code, out } = await login(['--jwt', 'token.txt', '--role', 'web'], server().address).done;
      expect(code).toBe(0);
      expect(out).toMatch(
        /^Signed in as web\n {2}Token {5}\S+\n(.*\n)* {2}Lasts {5}600 seconds, renewable\n$/,
      );
    });

    test('from standard input signs in, too', async () => {
      const jwt = await identity().signWorkloadToken({ subject });
      const { code } = await login(['--jwt', '-', '--role', 'web'], server().address, `${jwt}\n`).done;
      expect(code).toBe(0);
    });

    test('that is wrong is refused, in words without it', async () => {
      const jwt = await identity().signWorkloadToken({ subject: 'system:serviceaccount:shop:other' });
      writeFileSync(file, jwt);
      const line = `--jwt ${file} --role web --verbose`;
      const { code, out, err } = await login(wordsOf(line), server().address).done;
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('invalid subject (sub) claim');
      expect(err).not.toContain(jwt.slice(-20));
    });

    test('for a mount that there is not is refused', async () => {
      const line = `--jwt ${file} --role web --path nowhere`;
      expect((await login(wordsOf(line), server().address).done).code).not.toBe(0);
    });
  });
});

describe('gatehouse login at a provider that posts ID tokens', () => {
  let issuer: ScriptedIssuer;
  let service: Awaited<ReturnType<typeof startEmbeddedService>>;
  beforeAll(async () => {
    [issuer, service] = await Promise.all([startScriptedIssuer(), startEmbeddedService()]);
    const root = new ServiceClient(service);
    await root.post('sys/auth/staff', { type: 'oidc' });
    await root.post('auth/staff/config', {
      oidc_discovery_url: issuer.url,
      oidc_client_id: 'client',
      oidc_client_secret: 'secret',
      oidc_response_mode: 'form_post',
      oidc_response_types: ['id_token'],
      default_role: 'reader',
    });
    await root.post('auth/staff/role/reader', {
      user_claim: 'sub',
      allowed_redirect_uris: ['http://localhost:8250/oidc/callback'],
    });
    root.close();
  });
  afterAll(async () => {
    issuer.close();
    await service.close();
  });

  test.each([
    ['is let in', {}, 0, 'Signed in'],
    ['is refused where it is for another client', { aud: 'elsewhere' }, 2, 'Not signed in'],
  ])('an ID token %s', async (_, claims, expected, shown) => {
    const { done, url } = browserLogin([], service.address);
    const authUrl = await url();
    const { searchParams } = new URL(authUrl);
    const body = new URLSearchParams({
      state: searchParams.get('state') ?? '',
      id_token: await issuer.idToken(authUrl, claims),
    });
    const page = await openPage(searchParams.get('redirect_uri') ?? '', { method: 'POST', body });
    expect(page).toContain(`<h1>${shown}</h1>`);
    expect((await done).code).toBe(expected);
  });
});

describe('gatehouse login, before anything is asked', () => {
  test.each([
    ['without an address', '', '', 'address_missing'],
    ['with an address that is none', '--address ftp://x', '', 'address_invalid'],
    ['with a service that is away', '--port 0 --no-browser', 'http://127.0.0.1:1', 'service_unreachable'],
    ['with a file that is not there', '--jwt nowhere.txt', 'http://127.0.0.1:1', 'file_unreadable'],
    ['with a token that is empty', '--jwt -', 'http://127.0.0.1:1', 'jwt_missing'],
  ])('%s ends with an error', async (_, line, address, reason) => {
    expect(await login(wordsOf(line), address).done).toMatchObject(failed(reason));
  });

  test.each(['0', '601', '1.5', 'x'])('a timeout of %s is no time', async (seconds) => {
    const { code, err } = await login(['--timeout', seconds], 'http://127.0.0.1:1').done;
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('must be a whole number of seconds from 1 to 600'),
    });
  });
});

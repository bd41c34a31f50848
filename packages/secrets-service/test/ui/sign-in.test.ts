import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import type { ProviderKind } from '../../../core/src/graph/kinds/kinds.ts';
import { signIn } from '../../src/identity-provider/sign-in.ts';
import { HttpBrowser, problemsIn, type Shown, textIn } from './http-browser.ts';
import { oidcMethod, startUiService, wireMessage } from './ui-service.ts';

let browser: HttpBrowser;
const service = started(startUiService);
beforeAll(async () => {
  await service().write('sys/namespaces/team', {});
});
beforeEach(() => {
  browser = new HttpBrowser(service().address);
});

/** The provider's address, from the page that links to it. */
function authUrlOf({ text }: Shown): string {
  const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(text) ?? [];
  return textIn(url);
}

/** Path and query of the callback that the provider redirects to. */
async function comeBack(fields: Record<string, string>, username = 'alice'): Promise<string> {
  const authUrl = authUrlOf(await browser.submit('/ui/sign-in/oidc', fields));
  const { redirectUrl } = await signIn({ authUrl, username });
  return redirectUrl.slice(service().address.length);
}

describe('a sign-in through a provider', () => {
  test.each([
    ['vault', 'staff'],
    ['secrets', 'partners'],
  ])('comes back to /ui/%s and ends signed in', async (segment, method) => {
    const back = await comeBack({ method });
    expect(back).toMatch(`/ui/${segment}/auth/${method}/oidc/callback?`);
    const { path, text } = await browser.visit(back);
    expect([path, text]).toEqual(['/ui/', expect.stringContaining(`${method}-alice`)]);
  });

  test.each([
    ['the default role', {}, 'secrets-read'],
    ['a named role', { role: 'admin' }, 'secrets-admin'],
    ['a role in other letters', { role: ' ADMIN ' }, 'secrets-admin'],
  ])('is in %s', async (_, fields, policy) => {
    const { text } = await browser.visit(await comeBack({ method: 'staff', ...fields }));
    expect(text).toContain(`<li>${policy}</li>`);
  });

  test('shows the policies that come by a group, and the group', async () => {
    const { text } = await browser.visit(await comeBack({ method: 'staff' }));
    expect(text).toContain('<li>message-admin</li>');
    expect(text).toMatch(/<dt>Groups<\/dt><dd><ul class="tags"><li>staff-admins<\/li>/);
  });

  test('ends in the browser in which it began, and in no other', async () => {
    const back = await comeBack({ method: 'staff' });
    const shown = await new HttpBrowser(service().address).visit(back);
    expect([shown.status, problemsIn(shown)]).toEqual([400, ['invalid client_nonce']]);
  });

  test('comes back by form_post where the method says so', async () => {
    const config = { oidc_response_mode: 'form_post' };
    await oidcMethod(service(), 'posting', { kind: 'cloud_directory', config });
    const authUrl = new URL(authUrlOf(await browser.submit('/ui/sign-in/oidc', { method: 'posting' })));
    expect(authUrl.searchParams.get('response_mode')).toBe('form_post');
    // Posted as by the provider's page: without the browser's cookie.
    authUrl.searchParams.delete('response_mode');
    const { redirectUrl } = await signIn({ authUrl: authUrl.href, username: 'alice' });
    const { origin, pathname, searchParams } = new URL(redirectUrl);
    const posted = await fetch(origin + pathname, {
      method: 'POST',
      body: searchParams,
      headers: { Accept: 'text/html' },
      redirect: 'manual',
    });
    const { path, text } = await browser.visit(posted.headers.get('location') ?? '');
    expect([posted.status, path, text.includes('posting-alice')]).toEqual([303, '/ui/', true]);
  });

  test('to a method in a namespace comes back there', async () => {
    const { write } = service();
    const inTeam = { ...service(), write: (path: string, body: object) => write(path, body, 'team') };
    await oidcMethod(inTeam, 'staff', { kind: 'cloud_directory' });
    const back = await comeBack({ method: 'staff', namespace: 'team' });
    expect(new URL(back, service().address).searchParams.get('state')).toMatch(/,ns=team$/);
    const { text } = await browser.visit(back);
    expect(text).toContain('Namespace <span class="id">team</span>');
  });

  test('to a method that is not listed, whose path has slashes', async () => {
    await oidcMethod(service(), 'hidden/one', { kind: 'cloud_directory', listed: false });
    expect((await browser.visit('/ui/sign-in')).text).not.toContain('hidden/one');
    const { text } = await browser.visit(await comeBack({ method: '/auth/hidden/one/' }));
    expect(text).toContain('hidden-one-alice');
  });

  test.each([
    ['a role that is not there', { method: 'staff', role: '<b>x' }, 'role "<b>x" could not be found'],
    [
      'no method of that path',
      { method: 'gone' },
      'Denied: there is no auth method at auth/gone, or it does not accept your address.',
    ],
    ['a method without a configuration', { method: 'empty' }, 'could not load configuration'],
    ['a path that climbs', { method: '../sys' }, 'relative paths not supported'],
    [
      'no path',
      { method: '' },
      'Denied: there is no auth method at auth/, or it does not accept your address.',
    ],
  ])('with %s says so, and what was filled in stands there again', async (_, fields, problem) => {
    if (fields.method === 'empty') await service().write('sys/auth/empty', { type: 'oidc' });
    const shown = await browser.submit('/ui/sign-in/oidc', fields);
    expect(problemsIn(shown)).toEqual([problem]);
    expect(shown.text).not.toContain('<b>x');
  });

  test('to a method without a default role asks for one, and says where to continue', async () => {
    await oidcMethod(service(), 'choosy', { kind: 'cloud_directory', config: { default_role: '' } });
    const shown = await browser.submit('/ui/sign-in/oidc', { method: 'choosy' });
    expect(problemsIn(shown)).toEqual(['The method has no default role: enter one.']);
    expect(shown.text).toContain('<details open><summary>Other role</summary>');
    expect(textIn(shown.text)).toContain('Then continue with choosy again.');
  });

  test('from an address that the role does not allow names the address', async () => {
    const { port } = new URL(service().address);
    const elsewhere = new HttpBrowser(`http://localhost:${port}`);
    const shown = await elsewhere.submit('/ui/sign-in/oidc', { method: 'staff' });
    expect(problemsIn(shown)).toEqual([
      expect.stringContaining(`http://localhost:${port}/ui/vault/auth/staff/oidc/callback`),
    ]);
  });

  // CVE-2026-33758: no page repeats the provider's words.
  test.each(['access_denied', '<script>alert(1)</script>'])(
    'that the provider refuses (%s) repeats nothing of its words',
    async (error) => {
      const authUrl = authUrlOf(await browser.submit('/ui/sign-in/oidc', { method: 'staff' }));
      const state = new URL(authUrl).searchParams.get('state') ?? '';
      const words = '<img src=x onerror=alert(1)> call 555-0100';
      const query = new URLSearchParams({
        state,
        error,
        error_description: words,
        error_uri: 'javascript:alert(1)',
      });
      const shown = await browser.visit(`/ui/vault/auth/staff/oidc/callback?${query}`);
      expect(problemsIn(shown)).toEqual([
        expect.stringMatching(/^Login failed\. (access_denied|An unknown error)/),
      ]);
      expect(shown.text).not.toMatch(/555-0100|onerror|<script>alert/);
    },
  );

  test('leads to nobody else: the way out names the provider', async () => {
    const shown = await browser.submit('/ui/sign-in/oidc', { method: 'staff' });
    expect(shown.text).toContain(
      `You sign in at <strong>${new URL(service().identity.address).host}</strong>`,
    );
    expect(new URL(authUrlOf(shown)).origin).toBe(service().identity.address);
  });
});

describe('a sign-in with a JWT', () => {
  const jwt = () =>
    service().identity.signWorkloadToken({
      subject: 'system:serviceaccount:shop:web',
      audience: service().identity.issuers.container_orchestrator,
    });

  test.each<Record<string, string>>([{}, { role: 'web' }])('in the role %j ends signed in', async (role) => {
    const shown = await browser.submit('/ui/sign-in/jwt', { method: 'cluster', jwt: await jwt(), ...role });
    expect([shown.path, shown.text.includes('system:serviceaccount:shop:web')]).toEqual(['/ui/', true]);
  });

  test('that is refused says why, without the JWT', async () => {
    const given = await jwt();
    const shown = await browser.submit('/ui/sign-in/jwt', { method: 'cluster', role: 'gone', jwt: given });
    expect([shown.status, problemsIn(shown)]).toEqual([400, ['role "gone" could not be found']]);
    expect(shown.text).toContain('value="gone"');
    expect(shown.text).not.toContain(given);
  });
});

describe('the sign-in page', () => {
  test('offers the methods that anyone may see, by their description, and no others', async () => {
    await service().write('sys/auth/secret-place', { type: 'oidc', description: 'Not for all' });
    const { text } = await browser.visit('/ui/sign-in');
    const offered = [...text.matchAll(/<span class="method-name">([^<]+)</g)].map(([, name]) => name);
    expect(offered).toEqual(expect.arrayContaining(['Partners', 'Employees']));
    expect(text).not.toMatch(/secret-place|Not for all/);
  });

  test('of a namespace offers its methods, and its messages with those of its parents', async () => {
    const before = { authenticated: false };
    await service().write('sys/config/ui/custom-messages', wireMessage({ ...before, title: 'For all' }));
    await service().write(
      'sys/config/ui/custom-messages',
      wireMessage({ ...before, title: 'For team' }),
      'team',
    );
    const titles = async (path: string) =>
      [...(await browser.visit(path)).text.matchAll(/class="message-title">([^<]*)</g)].map(
        ([, title]) => title,
      );
    expect(await titles('/ui/sign-in')).toEqual(['For all']);
    expect(await titles('/ui/sign-in?namespace=/team/')).toEqual(['For all', 'For team']);
  });

  test('of a namespace that is not there says so, and lets one name another', async () => {
    const shown = await browser.visit('/ui/sign-in?namespace=%3Cb%3Egone');
    expect([shown.status, problemsIn(shown)]).toEqual([404, ['namespace not found']]);
    expect(shown.text).toContain('<details open><summary>Another namespace');
  });

  test('shows the messages for before sign-in there, the others after it', async () => {
    await service().write(
      'sys/config/ui/custom-messages',
      wireMessage({ title: 'Only after', authenticated: true }),
    );
    expect((await browser.visit('/ui/sign-in')).text).not.toContain('Only after');
    const { text } = await browser.signIn(service().token);
    expect([text.includes('Only after'), text.includes('For all')]).toEqual([true, false]);
  });
});

describe('the providers of a namespace', () => {
  let count = 0;
  let namespace = '';
  beforeEach(async () => {
    count += 1;
    namespace = `shapes-${count}`;
    await service().write(`sys/namespaces/${namespace}`, {});
  });
  const add = async (
    path: string,
    url: string,
    description: string,
    kind: ProviderKind = 'cloud_directory',
  ) => {
    const { write, identity } = service();
    await write(
      `sys/auth/${path}`,
      { type: 'oidc', description, config: { listing_visibility: 'unauth' } },
      namespace,
    );
    const fields = { oidc_client_id: 'a', oidc_client_secret: 'a-secret-value', default_role: 'a' };
    const provider_config = url === '' ? {} : { provider: url };
    const oidc_discovery_url = identity.issuers[kind];
    await write(`auth/${path}/config`, { ...fields, oidc_discovery_url, provider_config }, namespace);
  };
  const shown = async (query = '') =>
    (await browser.visit(`/ui/sign-in?namespace=${namespace}${query}`)).text;

  test('have the product and an icon by their kind, below the label of the environment', async () => {
    await add('staff', '', 'Employees');
    const text = await shown();
    expect(textIn(text)).toMatch(/Employees *Microsoft Entra ID · auth\/staff/);
    expect(text).toContain('<svg class="provider"');
    expect(text).not.toContain('a-secret-value');
    expect(text).not.toContain('name="search"');
  });

  test('have the product that the embedded identity provider plays', async () => {
    await add('partners', '', 'Partners', 'hosted_identity_platform');
    expect(textIn(await shown())).toMatch(/Partners *Auth0 · auth\/partners/);
  });

  test('are searched by label, path and product, once there are six', async () => {
    await add('staff', '', 'Employees');
    await add('partners', '', 'Partners', 'hosted_identity_platform');
    for (const name of ['a', 'b', 'c', 'd']) await add(`m-${name}`, '', `${name.repeat(200)} قارئ 🧑‍💻`);
    expect(await shown()).toContain('name="search"');
    const found = async (search: string) => (await shown(`&search=${search}`)).match(/<li><button/g)?.length;
    expect([await found('EMPLOYEES'), await found('m-'), await found('entra')]).toEqual([1, 4, 5]);
    expect(await shown('&search=none')).toContain('<p id="provider-list-none">No provider matches.');
  });
});

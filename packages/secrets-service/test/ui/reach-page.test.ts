import { beforeEach, expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import { HttpBrowser, textIn } from './http-browser.ts';
import { startUiService } from './ui-service.ts';

const service = started(startUiService);
let browser: HttpBrowser;
beforeEach(() => {
  browser = new HttpBrowser(service().address);
});

/** The page of someone with this policy, as text. */
async function reachWith(policy: string, { namespace = '', fields = {} } = {}): Promise<string> {
  await service().write('sys/policies/acl/of-the-test', { policy }, namespace);
  const body = { policies: ['of-the-test'], ...fields };
  const { auth } = await service().write('auth/token/create', body, namespace);
  await browser.signIn(auth.client_token, namespace);
  return (await browser.visit('/ui/reach')).text;
}
const rowsIn = (text: string) =>
  [...text.matchAll(/<tr>\n<th scope="row">.*?<\/tr>/gs)].map(([row]) =>
    textIn(row.replace(/<\/?\w+/g, ' $&')),
  );

test('lists each path with its capabilities and limits, in order, as text', async () => {
  const text = await reachWith(`
path "secret/data/shop/*" { capabilities = ["read", "create", "update"] }
path "secret/data/shop/<b>" { capabilities = ["deny"] }
path "" { capabilities = ["list"] }
path "a/b" { capabilities = [] }
path "database/creds/shop" {
  capabilities = ["update"]
  required_parameters = ["reason"]
  allowed_parameters = { "ttl" = ["1h", "2h"], "*" = [] }
  denied_parameters = { "admin" = [], "size" = [3, ""] }
}`);
  const rows = rowsIn(text);
  expect(rows.filter((row) => !/^(auth|sys|identity)\//.test(row))).toEqual([
    'the empty path list',
    'a/b none',
    'database/creds/shop update Requires reason Only ttl: 1h or 2h; any other field Never admin; size: 3 or ""',
    'secret/data/shop/* create read update',
    'secret/data/shop/<b> deny',
  ]);
  // The policy default, which every token has.
  expect(rows).toContain('auth/token/lookup-self read');
  expect(text).toContain('<a href="/ui/reach" aria-current="page">Access</a>');
});

test('says what the answer of the service leaves out', async () => {
  const text = textIn(await reachWith('path "secret/+/shop" { capabilities = ["read"] }'));
  expect(text).not.toContain('secret/+/shop');
  expect(text).toMatch(
    /One row decides a request.*Not shown, as the service leaves it out: paths with \+.*Capabilities/,
  );
});

test('counts paths from the namespace of the token', async () => {
  await service().write('sys/namespaces/team', {});
  const text = await reachWith('path "secret/*" { capabilities = ["read"] }', { namespace: 'team' });
  expect(rowsIn(text)).toContain('secret/* read');
  expect(textIn(text)).toContain('Paths begin at the namespace of your token.');
});

test('is everything for a token with root', async () => {
  await browser.signIn(service().token);
  const { text } = await browser.visit('/ui/reach');
  expect([textIn(text), rowsIn(text)]).toEqual([
    expect.stringContaining('Everything: your token has the policy root'),
    [],
  ]);
});

test('says that policies do not let one ask', async () => {
  const policy = 'path "auth/token/lookup-self" { capabilities = ["read"] }';
  const text = textIn(await reachWith(policy, { fields: { no_default_policy: true } }));
  expect(text).toContain('Your policies do not let you ask for this here.');
});

test('lists at most 1,000 rules, and says how many are left out', async () => {
  const rules = Array.from({ length: 1100 }, (_, at) => `path "a/${at}" { capabilities = ["read"] }`);
  const text = await reachWith(rules.join('\n'), { fields: { no_default_policy: true } });
  expect(text).toContain('do not let you ask');
  const listed = await reachWith(rules.join('\n'));
  expect([rowsIn(listed).length, textIn(listed).match(/\d+ more are not listed/)?.[0]]).toEqual([
    1000,
    expect.stringMatching(/^10\d more/),
  ]);
});

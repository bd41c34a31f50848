// docs/inside/specification.md C writes the path of list and create with a slash at its end.
import { expect, test } from '@jest/globals';
import { ask, write } from '../../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { started } from '../../../../test/harness/started.ts';

const path = 'sys/config/ui/custom-messages';
const message = { title: 'Maintenance', message: 'TQ==', start_time: '2026-01-01T00:00:00Z' };

const server = started(startEmbeddedService);

/** The status of a create at a path, with a token of this policy alone. */
async function created(policy: string, at: string): Promise<number> {
  await write(server(), 'sys/policies/acl/creator', { policy });
  const { auth } = await write(server(), 'auth/token/create', {
    policies: ['creator'],
    no_default_policy: true,
  });
  const token = auth.client_token as string;
  return (await ask(server(), { method: 'POST', path: at, body: message, token })).status;
}
const rule = (pattern: string, capabilities = '"create", "update"') =>
  `path "${pattern}" { capabilities = [${capabilities}] }`;

test.each([`${path}/`, `${path}/*`, path, 'sys/config/ui/*', 'sys/config/ui/+/*', 'sys/config/ui/+'])(
  'a policy on %s allows creating a message at the specified path',
  async (pattern) => {
    expect(await created(rule(pattern), `${path}/`)).toBe(200);
  },
);

test.each([`${path}/`, `${path}/*`])(
  'a policy on %s does not allow creating a message at the path without the slash',
  async (pattern) => {
    expect(await created(rule(pattern), path)).toBe(403);
  },
);

test.each([
  ['a denial with the slash', `${rule(path)}\n${rule(`${path}/`, '"deny"')}`],
  ['a rule that allows less with the slash', `${rule(path)}\n${rule(`${path}/`, '"list"')}`],
  ['a denial of all below, against a wider rule', `${rule('sys/*')}\n${rule(`${path}/*`, '"deny"')}`],
  ['a rule of something else', rule(`${path}/x`)],
])('%s decides at the specified path', async (_, policy) => {
  expect(await created(policy, `${path}/`)).toBe(403);
});

test('nothing is written to another path with a slash at its end', async () => {
  await write(server(), 'sys/policies/acl/reader', { policy: rule('sys/capabilities-self/') });
  const { auth } = await write(server(), 'auth/token/create', {
    policies: ['reader'],
    no_default_policy: true,
  });
  const asked = { method: 'POST', path: 'sys/capabilities-self/', body: { paths: ['a'] } };
  expect((await ask(server(), { ...asked, token: auth.client_token })).status).toBe(400);
});

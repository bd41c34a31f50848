import { beforeAll, expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../test/harness/openbao.ts';
import { ServiceClient } from '../../service-client/src/service-client.ts';
import { failed, projectFolder, runCommand } from './running-command.ts';

describeWithOpenBao('gatehouse access, of what no stack declares', (server) => {
  const client = () => new ServiceClient({ address: server().address, token: server().token });
  let folder = '';
  let accessor = '';
  const access = (...args: string[]) =>
    runCommand(
      ['access', '-s', 'dev', '--live', ...args],
      { PULUMI_CONFIG_PASSPHRASE: 'x', VAULT_TOKEN: server().token },
      folder,
    );

  beforeAll(async () => {
    folder = projectFolder({
      'Pulumi.dev.yaml': `config:
  gatehouse:service: { address: ${server().address} }
  gatehouse:providers: []
`,
    });
    const write = (path: string, body: Record<string, unknown>) => client().put(path, body);
    await write('sys/policies/acl/one', { policy: 'path "secret/a" { capabilities = ["read"] }' });
    await write('sys/policies/acl/two', { policy: 'path "secret/a" { capabilities = ["update"] }' });
    for (const [path, type] of [
      ['apps', 'approle'],
      ['more', 'approle'],
      ['people', 'userpass'],
    ])
      await write(`sys/auth/${path}`, { type });
    await write('auth/apps/role/web', { token_policies: ['one', 'two'], token_no_default_policy: true });
    await write('auth/apps/role/twin', {});
    await write('auth/more/role/twin', {});
    await write('auth/people/users/ann', { password: 'x', token_policies: ['one'] });
    await write('identity/entity', { name: 'Ann', policies: ['two'] });
    await write('identity/group', { name: 'all', policies: ['one'] });
    const { auth } = await client().post('auth/token/create', { policies: ['two'], no_default_policy: true });
    accessor = String(auth?.['accessor']);
  });

  it('is told of an AppRole, with the policy behind each capability', async () => {
    const { code, out } = await access('--approle', 'web', '--format', 'hcl');
    expect(code).toBe(0);
    expect(out).toContain('# Effective policy of role web of apps (approle) (live).');
    expect(out).toContain(`path "secret/a" {
  capabilities = [
    "read", # from: one
    "update", # from: two
  ]
}`);
    const { out: table } = await access('--approle', 'web', '--format', 'markdown');
    expect(table).toContain(
      '| <code>secret/a</code> | read, update | <code>one</code>, <code>two</code> |  |',
    );
  });

  it.each([
    ['--role', 'ann', ['secret/a', ['read']]],
    ['--entity', 'ann', ['secret/a', ['update']]],
    ['--group', 'all', ['secret/a', ['read']]],
  ])('is told by %s %s', async (option, name, row) => {
    const { out } = await access(option, name, '--json');
    expect(JSON.parse(out).rows.map((one: any) => [one.pattern, one.capabilities])).toContainEqual(row);
  });

  it('is told of a token by its accessor', async () => {
    const { code, out } = await access('--accessor', accessor);
    expect([code, out]).toEqual([0, expect.stringMatching(/^secret\/a +update +two$/m)]);
  });

  it.each([
    ['a name of two methods', ['--approle', 'twin'], 'role_ambiguous'],
    ['one that there is not', ['--entity', 'gone'], 'principal_unknown'],
    ['nothing', [], 'option_missing'],
    ['two at once', ['--entity', 'ann', '--group', 'all'], 'option_missing'],
  ])('is refused of %s', async (_, args, code) => {
    expect(await access(...args)).toMatchObject(failed(code));
    if (code === 'role_ambiguous') expect((await access(...args, '--method', 'more')).code).toBe(0);
  });
});

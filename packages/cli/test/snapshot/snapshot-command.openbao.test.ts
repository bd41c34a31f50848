import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { entry, terraform } from '../../../core/test/review/plan/terraform.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

const reading = (path: string) => `path "${path}" { capabilities = ["read"] }`;
const stackOf = (
  address: string,
) => `encryptionsalt: v1:Aow6rGpZGrM=:v1:qdByR7S84weStI84:McyI+6lmBbu7uj+IDpNFKLNioV/ugQ==
config:
  other:secret: { secure: "v1:EUXRozKQBETy3pbM:DnB3XsVw4cB6TYQLXCIyJFrE4Oi5J4Ce1GcgtEjL+vHYgCA6KRmAeZ5n" }
  gatehouse:service: { address: ${address} }
  gatehouse:providers: []
`;

describeWithOpenBao('gatehouse snapshot', (server) => {
  const client = () => new ServiceClient({ address: server().address, token: server().token });
  let folder = '';
  const offline = { PULUMI_CONFIG_PASSPHRASE: 'gatehouse' };
  const gatehouse = (env: NodeJS.ProcessEnv, ...argv: string[]) => runCommand(argv, env, folder);
  const take = (file: string, ...args: string[]) =>
    gatehouse({ VAULT_TOKEN: server().token }, 'snapshot', '-s', 'dev', '-o', file, ...args);
  const review = async (...args: string[]) =>
    JSON.parse((await gatehouse(offline, 'review', '--json', '--key-file', 'key', ...args)).out);

  beforeAll(async () => {
    folder = projectFolder({
      'Pulumi.dev.yaml': stackOf(server().address),
      'Pulumi.other.yaml': stackOf('https://other.example'),
      key: 'a key of many letters\n',
      'plan.json': terraform([
        entry('vault_policy.deploy', { after: { name: 'deploy', policy: reading('secret/data/*') } }),
      ]),
    });
    await client().put('sys/policies/acl/deploy', { policy: reading('secret/data/app') });
    await client().put('sys/auth/apps', { type: 'approle' });
    await client().put('auth/apps/role/web', { token_policies: ['deploy'] });
    await client().put('sys/auth/people', { type: 'userpass' });
    await client().put('auth/people/users/ann', { password: 'hush', token_policies: ['deploy'] });
  });

  it('writes a file for its owner alone, without names of people, and needs no passphrase', async () => {
    const { code, out } = await take('one', '--key-file', 'key');
    expect([code, out]).toEqual([0, expect.stringMatching(/^Wrote \d+ nodes to one\. Digest: sha256:/)]);
    expect(statSync(join(folder, 'one')).mode & 0o777).toBe(0o600);
    const { code: asked, err } = await take('two');
    expect({ code: asked, err }).toEqual(failed('snapshot_key_missing'));
  });

  it('lets a plan be judged on the whole service, without a token', async () => {
    const found = await review('plan.json', '-s', 'dev', '--snapshot', 'one');
    expect(found).toMatchObject({
      gains: 'some',
      scope: { complete: true, whole: true },
      taken: [{ type: 'policy', name: 'deploy' }],
      notes: [expect.stringMatching(/^Snapshot of http.*, \d+s old\.$/)],
    });
  });

  it('that is old proves nothing of the whole', async () => {
    const found = await review('plan.json', '-s', 'dev', '--snapshot', 'one', '--max-age', '0');
    expect(found.scope.whole).toBe(false);
  });

  it('of another service is refused', async () => {
    const ended = await gatehouse(offline, 'review', 'plan.json', '-s', 'other', '--snapshot', 'one');
    expect(ended).toMatchObject(failed('snapshot_of_another_service'));
  });

  it('is for a plan, or for what files declare', async () => {
    const ended = await gatehouse(offline, 'review', '-s', 'dev', '--snapshot', 'one');
    expect(ended).toMatchObject(failed('option_conflict'));
  });

  it('shows what became of a service between two', async () => {
    await client().put('sys/policies/acl/deploy', { policy: reading('secret/data/*') });
    await client().delete('auth/people/users/ann');
    expect((await take('two', '--key-file', 'key')).code).toBe(0);
    const found = await review('--between', 'one', 'two');
    expect(found).toMatchObject({ gains: 'some', losses: 'some', scope: { whole: true } });
    expect(found.access.map((one: any) => one.principals.name)).toContain('role web of apps (approle)');
    expect(await review('--between', 'two', 'two')).toMatchObject({ gains: 'none', losses: 'none' });
  });

  it('shows who gains by what the service newly hands out between two', async () => {
    const write = (path: string, body: Record<string, unknown>) => client().put(path, body);
    const tokenRole = (team: string) =>
      write('identity/oidc/role/w', { key: 'default', client_id: 'app', template: `{"team":"${team}"}` });
    await write('sys/policies/acl/ask', { policy: reading('identity/oidc/token/w') });
    await write('auth/people/users/bob', { password: 'hush', token_policies: ['ask'] });
    await write('sys/auth/self', { type: 'jwt' });
    const keys = `${server().address}/v1/identity/oidc/.well-known/keys`;
    await write('auth/self/config', { jwks_url: keys });
    const bounds = { bound_audiences: ['app'], bound_claims: { team: 'admin' } };
    await write('auth/self/role/adm', {
      ...bounds,
      role_type: 'jwt',
      user_claim: 'sub',
      token_policies: ['deploy'],
    });
    await tokenRole('dev');
    expect((await take('three', '--key-file', 'key')).code).toBe(0);
    await tokenRole('admin');
    expect((await take('four', '--key-file', 'key')).code).toBe(0);
    const { gains, access } = await review('--between', 'three', 'four');
    const line = 'reads identity/oidc/token/w, which signs in as role self/adm: gains read secret/data/*';
    expect(gains).toBe('some');
    expect(access.flatMap(({ also }: any) => also.map(({ what }: any) => what.words))).toEqual([line]);
  });

  it('that cannot be written leaves what was there', async () => {
    chmodSync(join(folder, 'one'), 0o600);
    writeFileSync(join(folder, 'blocked'), 'x');
    expect(await take('blocked/one', '--key-file', 'key')).toMatchObject(failed('file_unwritable'));
  });
});

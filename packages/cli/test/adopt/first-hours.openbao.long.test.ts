import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { Hand, key, roleBody, rule } from '../drift/hand.ts';
import { runCommand } from '../running-command.ts';

describeWithOpenBao('the first hours with a service that was set up by hand', (server) => {
  const environment = environmentFor(() => ({ ...server(), kind: 'openbao' as const }));
  let folder: string;
  let hand: Hand;
  let deploying: string;
  const gatehouse = (line: string, token = server().token) =>
    runCommand(line.split(' '), { ...environment().env, VAULT_TOKEN: token }, folder);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Alice', '-c', 'user.email=alice@example.com', ...args], {
      cwd: folder,
      stdio: 'ignore',
    });

  beforeAll(async () => {
    folder = await environment().writeProjectWithoutStack();
    hand = new Hand(environment().client);
    await hand.write('sys/policies/acl/shop', { policy: rule('secret/data/shop/*') });
    await hand.write('sys/auth/ci', { type: 'jwt' });
    await hand.write('auth/ci/config', { jwt_validation_pubkeys: [key], bound_issuer: 'https://ci.example' });
    await hand.write('auth/ci/role/build', roleBody(['shop'], { project: '17' }));
    await hand.write('sys/auth/apps', { type: 'approle' });
    await hand.write('auth/apps/role/web', { token_policies: ['shop'] });
    const { id } = await hand.makeEntity('ann', ['shop'], 'ci');
    await hand.makeGroup({ name: 'breakglass', policies: ['shop'], member_entity_ids: [id] });
    await hand.write('auth/token/roles/maker', { allowed_policies: ['shop'] });
  });

  test('adopt writes it, and an import changes nothing', async () => {
    expect(await gatehouse(`adopt --address ${server().address} --stack prod`)).toMatchObject({ code: 0 });
    const up = await gatehouse('up -s prod --engine local --import import.prod.json --yes');
    expect(up).toMatchObject({ code: 0, out: expect.stringContaining('3 imported') });
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'As it was set up by hand');
  });

  test('the first drift finds nothing, and each thing left has its reason', async () => {
    expect(await gatehouse('drift -s prod')).toMatchObject({ code: 0, err: '' });
    const { code, out } = await gatehouse('drift -s prod --unmanaged --json');
    const { known } = JSON.parse(out);
    expect(code).toBe(0);
    const left = known.map(({ kind, name, because }: any) => [`${kind} ${name}`, because]);
    expect(Object.keys(Object.fromEntries(left)).sort()).toEqual([
      'entity ann',
      'group breakglass',
      'method apps',
      'method token',
    ]);
    expect(left.every(([, because]: string[]) => because)).toBe(true);
  });

  test('a change is reviewed, without a token', async () => {
    const file = join(folder, 'Pulumi.prod.yaml');
    const changed = readFileSync(file, 'utf8').replace('project: "17"', 'project: ["17", "23"]');
    writeFileSync(file, changed);
    const { code, out } = await gatehouse('review -s prod --since HEAD', '');
    expect([code, out]).toEqual([0, expect.stringContaining('1 role gains access.')]);
    git('commit', '--quiet', '--all', '--message', 'Project 23');
  });

  test('the generated deploying token applies it', async () => {
    const policy = readFileSync(join(folder, 'token-policies/prod/deploying.hcl'), 'utf8');
    await hand.write('sys/policies/acl/gatehouse-prod-deploying', { policy });
    const policies = ['gatehouse-prod-deploying'];
    const created = await hand.client.post('auth/token/create-orphan', { policies, no_default_policy: true });
    deploying = String(created.auth?.['client_token']);
    const up = await gatehouse('up -s prod --engine local --yes', deploying);
    expect([up.code, up.out]).toEqual([0, expect.stringContaining('boundClaims.project: "17" → "17,23"')]);
  });

  test('then drift finds nothing, by the deploying token either', async () => {
    expect(await gatehouse('drift -s prod')).toMatchObject({ code: 0, err: '' });
    const own = await gatehouse('drift -s prod', deploying);
    expect([own.out, own.code]).toEqual([expect.stringContaining('no drift'), 0]);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runCommand } from '../../packages/cli/test/running-command.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { blocksOf } from './markdown.ts';

const folder = temporaryFolder();

const entries = {
  vault_jwt_auth_backend: { path: 'ci', type: 'jwt', bound_issuer: 'https://ci.example.com' },
  vault_jwt_auth_backend_role: {
    backend: 'ci',
    role_name: 'deploy',
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['secrets'],
    token_policies: ['deploy'],
  },
  vault_identity_group: { name: 'admins', type: 'external', policies: ['deploy'] },
  vault_policy: { name: 'deploy', policy: 'path "secret/*" { capabilities = ["read"] }' },
};

async function reviewed(action: 'forget' | 'delete'): Promise<string> {
  const resource_changes = Object.entries(entries).map(([type, before]) => ({
    address: `${type}.x`,
    mode: 'managed',
    type,
    name: 'x',
    provider_name: 'registry.terraform.io/hashicorp/vault',
    change: { actions: [action], before, after: null, after_unknown: {}, before_sensitive: {} },
  }));
  const plan = { format_version: '1.2', terraform_version: '1.9.0', resource_changes };
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  return (await runCommand(['review', 'plan.json'], {}, folder)).out;
}

describe('docs/adopt.md', () => {
  test('says of what Terraform forgets that no one gains or loses', async () => {
    expect(await reviewed('forget')).toMatch(/^. No one gains or loses access/);
    expect(await reviewed('delete')).toMatch(/^.*loses? (it|access)/);
  });

  test('lists by its pattern what Gatehouse takes over, in modules too', () => {
    const [, pattern = ''] =
      blocksOf('docs/adopt.md')
        .flatMap(({ text }) => text.split('\n'))
        .map((line) => /^\s*terraform state list \| grep -E '(.*)'$/.exec(line))
        .find((match) => match !== null) ?? [];
    const lists = (address: string) => new RegExp(pattern).test(address);
    expect(
      Object.keys(entries).filter((type) => !lists(`${type}.x`) || !lists(`module.a.${type}.x`)),
    ).toEqual([]);
    expect(['vault_mount.x', 'vault_kv_secret_v2.x', 'aws_iam_policy.vault_policy'].filter(lists)).toEqual(
      [],
    );
  });
});

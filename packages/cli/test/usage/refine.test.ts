import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openStack } from '../../src/open/open-stack.ts';
import { styleFor } from '../../src/terminal/style.ts';
import { type RefineRequest, refineUsage } from '../../src/usage/refine.ts';
import { refineText } from '../../src/usage/refine-text.ts';
import { projectFolder } from '../running-command.ts';

const at = Date.UTC(2026, 10, 25);
const shop = `# Of the shop.
path "secret/data/shop/*" {
  capabilities = ["read", "update", "delete"] # the job
}

path "secret/data/shop/old" {
  capabilities = ["read"]
}
`;
const stack = `config:
  gatehouse:service: { address: 'https://secrets.example.com' }
  gatehouse:providers:
    - kind: jwt
      name: ci
      jwksUrl: https://ci.example.com/keys
      roles:
        - { name: web, policies: [shop, team], ttl: 1h, boundAudiences: [secrets], userClaim: sub, boundSubject: web }
  gatehouse:policies:
    - { name: shop, file: policies/shop.hcl }
    - { name: team, policy: 'path "secret/data/team" { capabilities = ["read", "list"] }' }
`;

/** A line of a log, as far as it is read. */
function line(operation: string, path: string): string {
  return JSON.stringify({
    time: new Date(at).toISOString(),
    type: 'response',
    auth: {
      display_name: 'ci-web',
      metadata: { role: 'web' },
      policies: ['default', 'shop', 'team'],
      token_policies: ['default', 'shop', 'team'],
      policy_results: { allowed: true, granting_policies: [{ name: 'shop', type: 'acl' }] },
    },
    request: { id: path, operation, path, namespace: { id: 'root' } },
  });
}

async function refined(options: Partial<RefineRequest> = {}, lines = [line('read', 'secret/data/shop/db')]) {
  const folder = projectFolder({ 'Pulumi.dev.yaml': stack, 'audit.log': `${lines.join('\n')}\n` });
  mkdirSync(join(folder, 'policies'));
  writeFileSync(join(folder, 'policies/shop.hcl'), shop);
  return refineUsage({
    log: { files: [join(folder, 'audit.log')], stdin: process.stdin },
    service: { stack: await openStack(folder, 'dev', {}), env: {}, from: 'declared', now: at },
    name: 'shop',
    floor: [],
    ...options,
  });
}

describe('a policy refined by logs', () => {
  test('is a diff of its file, with its comments', async () => {
    const { policies, window } = await refined();
    expect(policies).toMatchObject([
      { name: 'shop', file: 'policies/shop.hcl', emptied: ['secret/data/shop/old'], deleted: [] },
    ]);
    expect(policies[0]?.diff).toBe(`--- a/policies/shop.hcl
+++ b/policies/shop.hcl
@@ -1,8 +1,8 @@
 # Of the shop.
 path "secret/data/shop/*" {
-  capabilities = ["read", "update", "delete"] # the job
+  capabilities = ["read"] # the job
 }
 
 path "secret/data/shop/old" {
-  capabilities = ["read"]
+  capabilities = []
 }
`);
    expect(window).toEqual({ from: at, to: at, gaps: [], backwards: 0, entries: 1 });
  });

  test.each([['web'], ['role ci/WEB']])('may be all those of a role, but for default: %s', async (name) => {
    const { policies } = await refined({ name });
    expect(policies.map((one) => [one.name, one.file, one.emptied])).toEqual([
      ['shop', 'policies/shop.hcl', ['secret/data/shop/old']],
      ['team', undefined, ['secret/data/team']],
    ]);
  });

  test.each([
    ['delete secret/data/shop/+', 'capabilities = ["read", "delete"]'],
    ['delete,update', 'capabilities = ["read", "update", "delete"]'],
  ])('keeps the floor %s', async (floor, wanted) => {
    const { policies } = await refined({ floor: [floor] });
    expect(policies[0]?.after).toContain(wanted);
  });

  test('takes no floor without capabilities that are known', async () => {
    await expect(refined({ floor: ['secret/data/shop/*'] })).rejects.toMatchObject({
      code: 'argument_invalid',
    });
  });

  test('needs a policy or a role of the name', async () => {
    await expect(refined({ name: 'shup' })).rejects.toMatchObject({
      code: 'principal_unknown',
      message: expect.stringContaining('did you mean `shop`?'),
    });
  });
});

describe('for people', () => {
  const style = styleFor({}, {});

  test('a refined policy is a diff, what is proven, and what stays', async () => {
    const text = refineText(await refined({ floor: ['delete secret/data/shop/+'] }), style);
    expect(text).toContain('Logs from 2026-11-25 00:00 UTC to 2026-11-25 00:00 UTC (declared).');
    expect(text).toContain('- policy shop: 2 capabilities less.');
    expect(text).toContain('    +  capabilities = []\n');
    expect(text).toContain(
      '✓ No request is lost (1 request sent again). No one gains access (1 role, 0 groups, 1 other sign-in or token checked).',
    );
    expect(text).toContain('secret/data/shop/* stays: the floor has delete');
    expect(text).toContain('To delete 1 rule, add --live or --snapshot.');
  });

  test('a log that cannot show what is unused is said to be so', async () => {
    const cut = line('read', 'secret/data/shop/db').replace('"id":"', '"id":"other-').slice(0, -20);
    const text = refineText(await refined({}, [line('read', 'secret/data/shop/db'), cut]), style);
    expect(text).toContain(
      'secret/data/shop/* stays: requests may use it; unknown: what a damaged line of the log used',
    );
  });
});

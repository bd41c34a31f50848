import { describe, expect, test } from '@jest/globals';
import { clusterStack } from '../cluster-stack.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

const id = '3774bb7d-777f-b07c-502d-7da6dff0344f';
const line = (given: object = {}, entry: object = {}) =>
  JSON.stringify({
    time: '2026-11-01T10:00:00Z',
    type: 'response',
    error: 'permission denied',
    ...entry,
    auth: {
      display_name: 'apps',
      policies: ['default', 'shop'],
      token_policies: ['default', 'shop'],
      metadata: { role: 'web' },
      policy_results: { allowed: false },
      entity_id: 'e1',
    },
    request: {
      id,
      operation: 'update',
      path: 'kv/shop/x',
      mount_point: 'kv/',
      namespace: { id: 'root' },
      ...given,
    },
  });
const signIn = JSON.stringify({
  time: '2026-11-01T09:00:00Z',
  type: 'response',
  request: { id: 's', operation: 'update', path: 'auth/cluster/login', mount_point: 'auth/cluster/' },
  response: {
    auth: {
      display_name: 'apps',
      policies: ['default', 'shop'],
      token_policies: ['default', 'shop'],
      metadata: { role: 'web' },
      entity_id: 'e1',
    },
  },
});
const stack = clusterStack({
  roles: { web: 'shop', job: 'shop' },
  policy: 'path "kv/shop/*" { capabilities = ["read"] }',
});

describe('gatehouse explain --request', () => {
  const folder = projectFolder({
    'Pulumi.one.yaml': stack,
    'audit.log': `${signIn}\n${line()}\n`,
    'again.log': `prefix ${line({ data: { a: 'hmac-sha256:other salt' } }, { time: '2026-11-01T10:00:00.1Z' })}\n`,
    'other.log': `${line({ path: 'kv/other' })}\n`,
    'space.log': `${line({ namespace: { id: 'x', path: 'team/' } })}\n`,
  });
  const explain = (...args: string[]) => runCommand(['explain', '-s', 'one', ...args], {}, folder);

  test('says who asked, why it was refused, the smallest change, and who gains', async () => {
    const { code, out } = await explain('--request', id, 'audit.log');
    expect(code).toBe(0);
    expect(out).toContain('Refused: update kv/shop/x, at 2026-11-01T10:00:00.000Z (declared)');
    expect(out).toContain('Asked by apps, signed in by role cluster/web');
    expect(out).toContain('The rule for kv/shop/* in policy shop decides. It does not give update.');
    expect(out).toContain('  + path "kv/shop/x" {\n  +   capabilities = ["read", "update"]\n  + }');
    expect(out).toContain(
      'Who gains by it: 1 policy gives more: role cluster/job and role cluster/web gain.',
    );
    expect(out).toContain('? not known: whether more gain: other principals with policy shop');
    expect(out).toContain('everyone who signs in by it gains. Others who gain, or may: 1.');
  });

  test('has the whole policy and the principals in JSON', async () => {
    const { out } = await explain('--request', id, 'audit.log', '--json');
    expect(JSON.parse(out)).toMatchObject({
      id,
      recorded: 'refused',
      why: { kind: 'capability', capability: 'update' },
      by: { method: 'cluster', role: 'web' },
      change: {
        policy: 'shop',
        text: expect.stringContaining('path "kv/shop/*"'),
        access: { changes: [{ gains: 'some' }, { gains: 'some' }] },
      },
    });
  });

  test('exits with 2 where the logs do not have it', async () => {
    const { code, out } = await explain('--request', 'none', 'audit.log');
    expect({ code, out }).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^No such request in these logs: none/),
    });
  });

  test('takes the logs of two devices as one request, and of two services as an error', async () => {
    expect((await explain('--request', id, 'audit.log', 'again.log')).code).toBe(0);
    expect(await explain('--request', id, 'audit.log', 'other.log')).toMatchObject(
      failed('request_ambiguous'),
    );
  });

  test('does not judge a request of another namespace by policies of this one', async () => {
    const { out } = await explain('--request', id, 'space.log');
    expect(out).toContain('Why is not known: the policies of namespace "team"');
  });

  test('is about a role, or a request with logs, and not both', async () => {
    expect(await explain()).toMatchObject(failed('option_missing'));
    expect(await explain('--request', id)).toMatchObject(failed('argument_missing'));
    expect(await explain('--request', id, '--role', 'web', 'audit.log')).toMatchObject(
      failed('option_conflict'),
    );
    expect(await explain('--role', 'web', 'audit.log')).toMatchObject(failed('option_conflict'));
  });
});

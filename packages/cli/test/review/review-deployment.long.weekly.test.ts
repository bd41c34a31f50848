import { expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { reviewDeployment } from '../../src/review/review-stack.ts';

const now = 1_800_000_000_000_000_000n;

describeOnBothServers('the review of the local engine’s plan', (server) => {
  const environment = environmentFor(server);

  test('of the first plan: everybody gets in anew, and nothing is left unjudged', async () => {
    const stack = environment().stack();
    const review = await reviewDeployment(stack, await environment().run('preview', stack), { now }, {});
    expect(review.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(review.access.filter(({ kind }) => kind !== 'opened')).toEqual([]);
    expect(review.access.map(({ principals }) => `${principals.method}/${principals.name}`)).toEqual(
      expect.arrayContaining(['cluster/web', 'staff/reader', 'staff/00000000-0000-0000-c000-000000000046']),
    );
    expect(review.access.flatMap(({ uncertain, unread }) => [...uncertain, ...unread])).toEqual([]);
  });

  test('of a later one: just who gains and who loses', async () => {
    await environment().run('up');
    const stack = environment().stack((config) => {
      const cluster = config['providers'].find(({ name }: any) => name === 'cluster');
      cluster.roles[0].policies = ['secrets-admin'];
      const staff = config['providers'].find(({ name }: any) => name === 'staff');
      staff.groups = [];
    });
    const review = await reviewDeployment(stack, await environment().run('preview', stack), { now }, {});
    expect(
      review.access.map(({ kind, principals, policies }) => [
        kind,
        principals.name,
        policies.gained,
        policies.lost,
      ]),
    ).toEqual([
      ['changed', 'web', ['secrets-admin'], ['secrets-read']],
      ['closed', '00000000-0000-0000-c000-000000000046', [], ['secrets-admin']],
    ]);
  });

  test('after a refresh: a role that was deleted by hand is a new sign-in path', async () => {
    await environment().run('up');
    await environment().client.delete('auth/cluster/role/backup');
    const stack = environment().stack();
    const plan = await environment().run('preview', stack, { refresh: true });
    // Each resource counts once, though it was also read.
    const counted = Object.values(plan.changes).reduce((sum, count) => sum + count, 0);
    expect(counted).toBe(new Set(plan.steps.map(({ urn }) => urn)).size);
    const review = await reviewDeployment(stack, plan, { now }, {});
    expect(
      review.access.map(({ kind, principals, policies }) => [kind, principals.name, policies.gained]),
    ).toEqual([['opened', 'backup', ['default', 'secrets-admin']]]);
  });
});

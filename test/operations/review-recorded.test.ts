import { describe, expect, test } from '@jest/globals';
import { composeChanges } from '../../core/review/plan/compose-change.ts';
import { readPulumiPreview } from '../../core/review/plan/read-pulumi-preview.ts';
import { plannedPreview } from '../../engine/planned-steps.ts';
import { stepsWithPlan } from '../../engine/pulumi/update-plan.ts';
import { readStack } from '../../engine/stack-files/read-stack.ts';
import { reviewDeployment } from '../../operations/review/review-stack.ts';
import { root } from '../harness/environment-under-test.ts';
import { firstPreview } from '../recorded/first-preview.ts';
import { type Recording, recordedPlan, recordedRun } from '../recorded/recorded.ts';

const now = 1_800_000_000_000_000_000n;
const stack = await readStack(root, 'dev', { PULUMI_CONFIG_PASSPHRASE: 'gatehouse' });
const review = (name: Recording) => reviewDeployment(stack, recordedRun(name), { now }, {});

describe('a first up through Pulumi’s own engine', () => {
  test('is judged by what the stack declares, where the preview does not tell', async () => {
    const { findings, access } = await review('preview-create');
    expect(findings.filter(({ rule }) => rule === 'cannot-be-judged')).toEqual([]);
    expect(
      access.filter(({ principals }) => principals.kind === 'alias').map(({ principals }) => principals),
    ).toEqual([
      { kind: 'alias', method: 'community', name: 'admins', group: 'maintainers' },
      { kind: 'alias', method: 'staff', name: '00000000-0000-0000-c000-000000000046', group: 'staff-admins' },
    ]);
  });

  test('is judged by the plan that the CLI saved, without the stack', () => {
    const steps = stepsWithPlan(recordedPlan('save-plan-create'), firstPreview(), stack);
    const compose = (shown: typeof steps) =>
      composeChanges(readPulumiPreview(plannedPreview({ ...recordedRun('up-plan-create'), steps: shown })))[0]
        ?.change;
    expect(compose(firstPreview())?.unknown.map(({ type }) => type)).toEqual(['alias', 'alias']);
    expect(compose(steps)?.unknown).toEqual([]);
    expect(compose(steps)?.after.aliases).toEqual([
      { method: 'community', name: 'admins', group: 'maintainers' },
      { method: 'staff', name: '00000000-0000-0000-c000-000000000046', group: 'staff-admins' },
    ]);
  });

  test('cannot be judged without it', () => {
    const plan = readPulumiPreview(plannedPreview(recordedRun('preview-create')));
    expect(composeChanges(plan)[0]?.change.unknown.map(({ type }) => type)).toEqual(['alias', 'alias']);
  });
});

describe('a refresh is read as what it found', () => {
  const changeIn = (name: Recording) =>
    composeChanges(readPulumiPreview(plannedPreview(recordedRun(name))))[0]?.change;

  test('a role that was deleted by hand is made anew, one that was changed goes back', async () => {
    const change = changeIn('preview-refresh-drift');
    const names = (roles: { method: string; name: string }[] = []) =>
      roles
        .filter(({ method }) => method === 'cluster')
        .map(({ name }) => name)
        .sort();
    expect([names(change?.before.roles), names(change?.after.roles)]).toEqual([['web'], ['backup', 'web']]);
    const [before, after] = [change?.before, change?.after].map((graph) =>
      graph?.roles.find(({ name }) => name === 'web'),
    );
    expect(before?.policies).not.toEqual(after?.policies);
    const { access, notes } = await review('preview-refresh-drift');
    expect(access.map(({ kind, principals }) => [kind, principals.name])).toContainEqual([
      'opened',
      'backup',
    ]);
    expect(notes).toEqual(expect.arrayContaining([expect.stringContaining('outside of Pulumi')]));
  });

  test('a refresh alone changes nothing on the service', async () => {
    const change = changeIn('refresh-drift');
    expect(change?.before).toEqual(change?.after);
    expect((await review('refresh-drift')).access).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { appliedEnvironmentFor, passphrase, root } from '../../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { describeOnEmbeddedService } from '../../../../test/harness/two-servers.ts';
import type { Outcome } from '../../../core/src/run-task/outcome.ts';
import { planDigest } from '../../../core/src/run-task/plan-digest.ts';
import { samplePayload } from '../../../core/test/run-task/sample-payload.ts';
import type { ReviewRequest } from '../../../run-tasks/src/integrator/review.ts';
import { PlanReviewer } from '../../src/serve/plan-reviewer.ts';
import { runTaskReview } from '../../src/serve/review-run-task.ts';

const plan = JSON.parse(readFileSync(join(root, 'examples/plans/terraform-plan.json'), 'utf8'));
/** The same without what is an error in it. */
const warned = {
  ...plan,
  resource_changes: plan.resource_changes.filter(
    ({ address }: { address: string }) => !/secrets_read|login_admin|deploy|on_call|kubernetes/.test(address),
  ),
};
const env = { PULUMI_CONFIG_PASSPHRASE: passphrase };
const reviewer = new PlanReviewer();
afterAll(() => reviewer.close());
type Change = Partial<Omit<ReviewRequest, 'plan'>> & { plan?: object };
/** What a review says, with the outcomes that it showed on the way. */
const ask = async ({ plan: given, ...change }: Change, variables: NodeJS.ProcessEnv = env) => {
  const shown: Outcome[] = [];
  const { outcomes, ...result } = await runTaskReview(root, variables, reviewer)(
    {
      endpoint: { name: 'review', keys: [] },
      stage: 'post_plan',
      payload: samplePayload() as ReviewRequest['payload'],
      plan: given && Buffer.from(JSON.stringify(given)),
      reviewed: undefined,
      ...change,
    },
    async (some) => void shown.push(...some),
    new AbortController().signal,
  );
  return { ...result, outcomes: [...shown, ...outcomes] };
};
const withStack = { endpoint: { name: 'review', keys: [], stack: 'dev' } };

describe('the review as a run task', () => {
  test('at post_plan has errors, then access changes, as outcomes', async () => {
    const { outcomes } = await ask({ plan });
    const kinds = outcomes.map(({ outcomeId }) => outcomeId.split('-')[0]);
    expect([...new Set(kinds)].slice(0, 2)).toEqual(['finding', 'access']);
    const finding = outcomes[kinds.indexOf('finding')];
    expect(finding?.tags?.['Severity']).toEqual([{ label: 'error', level: 'error' }]);
  });

  test.each([
    ['error', 'passed'],
    ['warning', 'failed'],
  ] as const)('fails from the severity on that its endpoint says (%s: %s)', async (failOn, status) => {
    expect((await ask({ plan: warned, endpoint: { name: 'review', keys: [], failOn } })).status).toBe(status);
  });

  test('at post_plan refuses what is no plan', async () => {
    await expect(ask({ plan: { some: 'thing' } })).rejects.toMatchObject({ code: 'plan_unknown' });
  });

  test('at pre_apply reviews the plan again', async () => {
    const now = await ask({ stage: 'pre_apply', plan, reviewed: { digest: planDigest(plan) } });
    expect([now.status, now]).toEqual(['failed', await ask({ plan })]);
  });

  test('at pre_apply fails a plan that was not reviewed at post_plan, and says what is in it', async () => {
    const { status, outcomes } = await ask({ stage: 'pre_apply', plan: warned, reviewed: undefined });
    expect([status, outcomes[0]?.outcomeId]).toEqual(['failed', 'not-compared']);
    expect(outcomes.slice(1)).toEqual((await ask({ plan: warned })).outcomes);
  });

  test('at pre_apply passes the plan that passed before', async () => {
    const before = { stage: 'pre_apply', plan: warned, reviewed: { digest: planDigest(warned) } } as const;
    expect((await ask(before)).status).toBe('passed');
  });

  test('at pre_apply fails a plan that is not the one reviewed, and says what is in it', async () => {
    const other = await ask({
      stage: 'pre_apply',
      plan: warned,
      reviewed: { digest: 'b' },
    });
    expect([other.status, other.outcomes[0]?.outcomeId]).toEqual(['failed', 'other-plan']);
    expect(other.outcomes.slice(1)).toEqual((await ask({ plan: warned })).outcomes);
  });

  test('at pre_plan judges what the stack declares, and says that access is judged later', async () => {
    expect(await ask({ stage: 'pre_plan', ...withStack })).toMatchObject({
      status: 'passed',
      message: expect.stringMatching(/^. The stack passes its rules\. Access is judged after planning\.$/),
    });
  });

  test.each(['pre_plan', 'post_apply'] as const)(
    'at %s without a stack passes, and says what was not checked',
    async (stage) => {
      const { status, outcomes } = await ask({ stage });
      expect([status, outcomes.map(({ outcomeId }) => outcomeId)]).toEqual(['passed', ['not-checked']]);
    },
  );
});

describeOnEmbeddedService('the review as a run task, at post_apply', (service) => {
  const environment = appliedEnvironmentFor(service);
  const look = async () => {
    const { status, message, outcomes } = await ask({ stage: 'post_apply', ...withStack }, environment().env);
    return {
      status,
      message,
      lines: outcomes.map(
        ({ outcomeId, description, tags }) =>
          `${tags?.['Severity']?.[0]?.level} ${outcomeId}: ${description}`,
      ),
    };
  };
  const untried = 'info not-known: Not known: 4';

  test('passes where the service is as declared and everyone can start to sign in', async () => {
    expect(await look()).toEqual({
      status: 'passed',
      message: 'The service is as declared; everyone can start to sign in.',
      lines: [untried],
    });
  });

  test('fails where the service is not as declared, and says where', async () => {
    const path = 'auth/partners/role/partner';
    const { data = {} } = (await environment().client.read(path)) ?? {};
    await environment().client.put(path, { ...data, token_policies: ['root-like'] });
    expect(await look()).toEqual({
      status: 'failed',
      message: expect.stringMatching(/^1 of \d+ differ; everyone can start to sign in\.$/),
      lines: ['error difference-1: role partners/partner: policies is not as declared', untried],
    });
    await environment().client.put(path, data);
  });

  // The last one: nothing starts it again.
  test('fails where a provider is gone, although the service is as declared', async () => {
    await environment().identity.close();
    const { status, message, lines } = await look();
    expect(status).toBe('failed');
    expect(message).toMatch(/^The service is as declared; \d+ of \d+ checks of signing in failed\.$/);
    expect(lines).toContainEqual(
      expect.stringMatching(/^error failed-\d+: method staff, its discovery document: .*ECONNREFUSED/),
    );
  });
});

describeWithOpenBao('the review as a run task, at post_apply of a service without anything', (service) => {
  test('fails where the service is not as declared, and says where', async () => {
    const { address, token } = service();
    const { status, outcomes } = await ask(
      { stage: 'post_apply', ...withStack },
      { ...env, GATEHOUSE_SERVICE_ADDRESS: address, VAULT_TOKEN: token },
    );
    expect(status).toBe('failed');
    expect(outcomes.map(({ description }) => description)).toContain('method staff is missing');
  });
});

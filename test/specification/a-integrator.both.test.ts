import { expect, test } from '@jest/globals';
import { limits } from '../../packages/core/src/run-task/limits.ts';
import type { Outcome } from '../../packages/core/src/run-task/outcome.ts';
import { sign, signatureHeaders } from '../../packages/core/src/run-task/signature.ts';
import { samplePayload } from '../../packages/core/test/run-task/sample-payload.ts';
import { defaultIntegratorTiming } from '../../packages/run-tasks/src/integrator/integrator.ts';
import type { ReviewRequest } from '../../packages/run-tasks/src/integrator/review.ts';
import { verifyRequest } from '../../packages/run-tasks/src/integrator/verify-request.ts';
import {
  key,
  runIntegrator,
  untilEnded,
} from '../../packages/run-tasks/test/integrator/running-integrator.ts';
import { started } from '../harness/started.ts';
import { sendTask, type TaskBehavior } from '../harness/test-platform.ts';
import { describeOnBothDatabases } from '../harness/two-databases.ts';

test.each(signatureHeaders.map((name) => [name]))('A-1: the signature may come in %s', (name) => {
  const body = Buffer.from(JSON.stringify(samplePayload()));
  expect(verifyRequest([key], { [name.toLowerCase()]: sign(body, key) }, body)).toHaveProperty('payload');
});

test('Versioning 3: addresses of the platform are opaque', () => {
  const url = 'https://platform.example.com/any/other?path=1';
  const payload = samplePayload({ task_result_callback_url: url, plan_json_api_url: url });
  const verdict = verifyRequest([], {}, Buffer.from(JSON.stringify(payload)));
  expect(verdict).toHaveProperty('payload.plan_json_api_url', url);
});

test('Limits: the final result is due within 10 minutes of the request, and a review ends before', () => {
  expect(limits.finalStatusMs).toBe(600_000);
  expect(defaultIntegratorTiming.finalStatusMs).toBe(600_000);
  expect(defaultIntegratorTiming.reviewMs).toBeLessThan(600_000);
});

const atTheEnd: Outcome = {
  outcomeId: 'b',
  description: 'at the end',
  body: '**more**',
  url: 'https://example.com/b',
  tags: { Severity: [{ label: 'high', level: 'error' }] },
};

describeOnBothDatabases('A, what an integrator does', (databases) => {
  const seen: ReviewRequest[] = [];
  const running = started(async () =>
    runIntegrator(await databases.openDatabase(), {
      review: async (request, show) => {
        seen.push(request);
        await show([{ outcomeId: 'a', description: 'on the way' }]);
        const url = 'https://example.com/more';
        return { status: 'failed', message: 'no', url, outcomes: [atTheEnd] };
      },
    }),
  );
  const ask = async (behavior: TaskBehavior) => {
    const task = running().platform.newTask(behavior);
    const answer = await sendTask(running().url, task.payload, { key });
    await untilEnded(running(), task.id);
    return { task, answer };
  };

  test('A.4: running first, then the final result; each an HTTP PATCH of JSON (A2)', async () => {
    const { task } = await ask({ stage: 'pre_plan' });
    const bodies = task.callbacks.map(({ body }) => JSON.parse(body));
    const sent = (attributes: object, outcome: object) => ({
      data: {
        type: 'task-results',
        attributes,
        relationships: { outcomes: { data: [{ type: 'task-result-outcomes', attributes: outcome }] } },
      },
    });
    const { outcomeId, ...last } = atTheEnd;
    expect(bodies).toEqual([
      sent({ status: 'running' }, { 'outcome-id': 'a', description: 'on the way' }),
      sent(
        { status: 'failed', message: 'no', url: 'https://example.com/more' },
        { 'outcome-id': outcomeId, ...last },
      ),
    ]);
  });

  test('A.6, A-2, Authentication 2: authenticated by the access token of the request, as a bearer token', async () => {
    const { task } = await ask({ stage: 'pre_plan' });
    const given = task.callbacks.map(({ headers }) => [headers.authorization, headers['content-type']]);
    expect(new Set(given.map((one) => one.join(' ')))).toEqual(
      new Set([`Bearer ${task.token} application/vnd.api+json`]),
    );
  });

  test('Errors: a request that is not answered 200 comes again, and is taken then', async () => {
    const task = running().platform.newTask({ stage: 'pre_plan' });
    expect((await sendTask(running().url, task.payload, { key: 'other' })).status).toBe(401);
    expect((await sendTask(running().url, task.payload, { key })).status).toBe(200);
    await untilEnded(running(), task.id);
    expect(task.finals).toHaveLength(1);
  });
});

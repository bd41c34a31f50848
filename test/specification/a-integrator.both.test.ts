import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Stage } from '../../core/model/values/stage.ts';
import { limits } from '../../core/run-task/limits.ts';
import { sign, signatureHeaders } from '../../core/run-task/signature.ts';
import { defaultIntegratorTiming } from '../../run-tasks/integrator/integrator.ts';
import type { ReviewRequest } from '../../run-tasks/integrator/review.ts';
import { verifyRequest } from '../../run-tasks/integrator/verify-request.ts';
import { sendTask, type TaskBehaviour } from '../../run-tasks/kit/test-platform.ts';
import { samplePayload, without } from '../core/run-task/sample-payload.ts';
import { describeOnBothDatabases } from '../harness/two-databases.ts';
import {
  key,
  type RunningIntegrator,
  runIntegrator,
  untilEnded,
} from '../run-tasks/integrator/running-integrator.ts';

const signed = (payload: object, headers: readonly string[] = signatureHeaders.slice(0, 1)) => {
  const body = Buffer.from(JSON.stringify(payload));
  const value = sign(body, key);
  const named = Object.fromEntries(headers.map((name) => [name.toLowerCase(), value]));
  return verifyRequest([key], named, body);
};

describe('A1, what an integrator takes', () => {
  test.each([
    'configuration_version_download_url',
    'vcs_branch',
    'vcs_commit_url',
    'vcs_pull_request_url',
    'vcs_repo_url',
  ])('A1 %s: null', (field) => {
    expect(signed(samplePayload({ [field]: null }))).toHaveProperty('payload');
  });

  test.each([2, '1', null])('A1 payload_version, Versioning 1: %j is refused with 422', (version) => {
    expect(signed(samplePayload({ payload_version: version }))).toMatchObject({ status: 422 });
  });

  test('A1 stage: another is refused with 422', () => {
    expect(signed(samplePayload({ stage: 'post-apply' }))).toMatchObject({ status: 422 });
  });

  test.each(Object.values(Stage))(
    'Events, %s: plan_json_api_url comes with all stages but pre_plan',
    (stage) => {
      const payload = without(samplePayload({ stage }), 'plan_json_api_url');
      expect('payload' in signed(payload)).toBe(stage === 'pre_plan');
    },
  );

  test('Versioning 3: addresses of the platform are opaque', () => {
    const url = 'https://platform.example.com/any/other?path=1';
    expect(signed(samplePayload({ task_result_callback_url: url, plan_json_api_url: url }))).toHaveProperty(
      'payload.plan_json_api_url',
      url,
    );
  });
});

describe('A-1 and Authentication 1, the signature', () => {
  test.each(signatureHeaders.map((name) => [name]))('%s is looked at', (name) => {
    expect(signed(samplePayload(), [name])).toHaveProperty('payload');
  });

  test('one that is missing, empty or of other bytes is refused with 401', () => {
    const body = Buffer.from(JSON.stringify(samplePayload()));
    for (const value of [undefined, '', sign(Buffer.from('other'), key)]) {
      expect(verifyRequest([key], { 'x-platform-task-signature': value }, body)).toMatchObject({
        status: 401,
      });
    }
  });

  test('it is empty where no key is configured, and then nothing is compared', () => {
    const body = Buffer.from(JSON.stringify(samplePayload()));
    expect(verifyRequest([], { 'x-platform-task-signature': '' }, body)).toHaveProperty('payload');
  });
});

test('Limits: the final result is due within 10 minutes of the request, and a review ends before', () => {
  expect(limits.finalStatusMs).toBe(600_000);
  expect(defaultIntegratorTiming.finalStatusMs).toBe(600_000);
  expect(defaultIntegratorTiming.reviewMs).toBeLessThan(600_000);
});

describeOnBothDatabases('A, what an integrator does', (databases) => {
  let running: RunningIntegrator;
  const seen: ReviewRequest[] = [];
  beforeAll(async () => {
    running = await runIntegrator(await databases.open(), {
      review: async (request, show) => {
        seen.push(request);
        await show([{ outcomeId: 'a', description: 'on the way' }]);
        return {
          status: 'failed',
          message: 'no',
          url: 'https://example.com/more',
          outcomes: [
            {
              outcomeId: 'b',
              description: 'at the end',
              body: '**more**',
              url: 'https://example.com/b',
              tags: { Severity: [{ label: 'high', level: 'error' }] },
            },
          ],
        };
      },
    });
  });
  afterAll(() => running.close());
  const ask = async (behaviour: TaskBehaviour) => {
    const task = running.platform.newTask(behaviour);
    const answer = await sendTask(running.url, task.payload, { key });
    await untilEnded(running, task.id);
    return { task, answer };
  };

  test('A-1: 200 with no content', async () => {
    const { answer } = await ask({ stage: 'pre_plan' });
    expect(answer).toMatchObject({ status: 200, body: '' });
  });

  test('A.4: running first, then the final result; each an HTTP PATCH of JSON (A2)', async () => {
    const { task } = await ask({ stage: 'pre_plan' });
    const bodies = task.callbacks.map(({ body }) => JSON.parse(body));
    expect(bodies).toEqual([
      {
        data: {
          type: 'task-results',
          attributes: { status: 'running' },
          relationships: {
            outcomes: {
              data: [
                {
                  type: 'task-result-outcomes',
                  attributes: { 'outcome-id': 'a', description: 'on the way' },
                },
              ],
            },
          },
        },
      },
      {
        data: {
          type: 'task-results',
          attributes: { status: 'failed', message: 'no', url: 'https://example.com/more' },
          relationships: {
            outcomes: {
              data: [
                {
                  type: 'task-result-outcomes',
                  attributes: {
                    'outcome-id': 'b',
                    description: 'at the end',
                    body: '**more**',
                    url: 'https://example.com/b',
                    tags: { Severity: [{ label: 'high', level: 'error' }] },
                  },
                },
              ],
            },
          },
        },
      },
    ]);
  });

  test('A.6, A-2, Authentication 2: authenticated by the access token of the request, as a bearer token', async () => {
    const { task } = await ask({ stage: 'pre_plan' });
    const given = task.callbacks.map(({ headers }) => [headers.authorization, headers['content-type']]);
    expect(new Set(given.map((one) => one.join(' ')))).toEqual(
      new Set([`Bearer ${task.token} application/vnd.api+json`]),
    );
  });

  test('Events: the plan is retrieved at plan_json_api_url with the same token', async () => {
    const { task } = await ask({ stage: 'post_plan', plan: { of: 'the run' } });
    expect(task.planRequests).toEqual([true]);
    expect(JSON.parse(Buffer.from(seen.at(-1)?.plan ?? []).toString())).toEqual({ of: 'the run' });
  });

  test.each([
    ['capabilities', { capabilities: { outcomes: true } }, 2],
    ['capabilitites', { capabilities: undefined, capabilitites: { outcomes: true } }, 2],
    ['neither', { capabilities: undefined }, 0],
    ['capabilities.outcomes = false', { capabilities: { outcomes: false } }, 0],
  ])('A1 capabilities: outcomes are sent where they are accepted (%s)', async (_, change, count) => {
    const { task } = await ask({ stage: 'pre_plan', change });
    expect(task.callbacks.flatMap(({ result }) => result?.outcomes ?? [])).toHaveLength(count);
  });

  test('Errors: a request that is not answered 200 comes again, and is taken then', async () => {
    const task = running.platform.newTask({ stage: 'pre_plan' });
    expect((await sendTask(running.url, task.payload, { key: 'other' })).status).toBe(401);
    expect((await sendTask(running.url, task.payload, { key })).status).toBe(200);
    await untilEnded(running, task.id);
    expect(task.finals).toHaveLength(1);
  });
});

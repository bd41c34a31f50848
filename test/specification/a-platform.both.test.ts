import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PlatformUnderTest } from '../../packages/run-tasks/test/platform/platform-under-test.ts';
import { callBack, type Received } from '../../packages/run-tasks/test/platform/scripted-integrator.ts';
import { started } from '../harness/started.ts';
import { describeOnBothDatabases } from '../harness/two-databases.ts';

const stages = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'] as const;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A1, "These fields are in every payload". */
const always: [field: string, value: unknown][] = [
  ['payload_version', 1],
  ['stage', expect.stringMatching(/^(pre|post)_(plan|apply)$/)],
  ['access_token', expect.any(String)],
  ['capabilities', { outcomes: true }],
  // The reference table's spelling, beside the sample's.
  ['capabilitites', { outcomes: true }],
  ['configuration_version_download_url', null],
  ['configuration_version_id', '0f3c'],
  ['is_speculative', false],
  ['organization_name', 'login'],
  ['run_app_url', expect.stringMatching(/^http:/)],
  ['run_created_at', '2026-12-01T12:00:00.000Z'],
  ['run_created_by', 'alice'],
  ['run_id', expect.stringMatching(/^run-/)],
  ['run_message', 'a change'],
  ['task_result_callback_url', expect.stringMatching(/\/task-results\/[0-9a-f-]{36}\/callback$/)],
  ['task_result_enforcement_level', 'mandatory'],
  ['task_result_id', expect.stringMatching(guid)],
  ['vcs_branch', 'main'],
  ['vcs_commit_url', 'https://code.example.com/login/commit/0f3c'],
  ['vcs_pull_request_url', null],
  ['vcs_repo_url', 'https://code.example.com/login'],
  ['workspace_app_url', expect.stringMatching(/^http:/)],
  ['workspace_id', expect.stringMatching(/^login\//)],
  ['workspace_name', expect.stringMatching(/^stack-/)],
  ['workspace_working_directory', ''],
];

describeOnBothDatabases('docs/inside/specification.md, area A, the platform', (databases) => {
  const under = started(async () => PlatformUnderTest.start(await databases.openDatabase()));

  describe('A1, A-1 and Events: the request of each stage', () => {
    let received: Map<string, Received>;
    beforeAll(async () => {
      const stack = under().reset();
      under().work.tasks = [under().task('review', [...stages])];
      under().work.key = 'a key';
      const run = await under().run(stack);
      for (const stage of stages) await callBack(await under().requested(run, stage), 'passed');
      await under().ended(run.id);
      received = new Map(under().integrator.received.map((one) => [one.payload.stage, one]));
    });

    test.each(stages)('%s fires once', (stage) => {
      expect(under().integrator.received.filter(({ payload }) => payload.stage === stage)).toHaveLength(1);
    });

    test.each(always)('%s is in every payload', (field, value) => {
      for (const { payload } of received.values()) expect(payload[field]).toEqual(value);
    });

    test.each(stages)('%s has no field but those of A1', (stage) => {
      const known = [
        ...always.map(([field]) => field),
        ...(stage === 'pre_plan' ? [] : ['plan_json_api_url']),
      ];
      expect(Object.keys(received.get(stage)?.payload).sort()).toEqual(known.sort());
    });

    test.each(['post_plan', 'pre_apply', 'post_apply'])('plan_json_api_url comes with %s', (stage) => {
      expect(received.get(stage)?.payload.plan_json_api_url).toMatch(
        /\/api\/v2\/plans\/run-[0-9a-f]+\/json-output$/,
      );
    });

    test('plan_json_api_url does not come with pre_plan', () => {
      expect(received.get('pre_plan')?.payload).not.toHaveProperty('plan_json_api_url');
    });

    test('Content-Type is application/json', () => {
      for (const { headers } of received.values()) expect(headers['content-type']).toBe('application/json');
    });

    test('User-Agent is a product token with its version, then the platform’s address in parentheses', () => {
      for (const { headers } of received.values())
        expect(headers['user-agent']).toBe(`gatehouse/1.2.3 (+${under().address})`);
    });

    test('X-Platform-Task-Signature is the HMAC-SHA512 of the payload', () => {
      for (const { headers, raw } of received.values()) {
        const signature = createHmac('sha512', 'a key').update(raw).digest('hex');
        expect(headers['x-platform-task-signature']).toBe(signature);
      }
    });

    test('Versioning 3: URLs of the platform’s API have the prefix /api/v2/', () => {
      for (const { payload } of received.values()) {
        expect(new URL(payload.task_result_callback_url).pathname).toMatch(/^\/api\/v2\//);
      }
    });
  });

  describe('one run task', () => {
    let stack: string;
    beforeEach(() => {
      stack = under().reset();
      under().work.tasks = [under().task('review', ['pre_plan'])];
    });
    const begin = async (isSpeculative = false) => {
      const run = await under().run(stack, { isSpeculative });
      return { run, request: await under().requested(run, 'pre_plan') };
    };

    test('A-1: without a key the signature is there, and empty', async () => {
      await begin();
      expect(under().integrator.received[0]?.headers['x-platform-task-signature']).toBe('');
    });

    test('A1: is_speculative is true in a speculative run', async () => {
      expect((await begin(true)).request.is_speculative).toBe(true);
    });

    test('A1: task_result_enforcement_level is advisory where the task is', async () => {
      under().work.tasks = [under().task('review', ['pre_plan'], 'advisory')];
      expect((await begin()).request.task_result_enforcement_level).toBe('advisory');
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Database } from '../../run-tasks/store/database.ts';
import { pythonPackage, runPython } from '../harness/python-package.ts';
import { describeOnBothDatabases } from '../harness/two-databases.ts';
import { PlatformUnderTest } from '../run-tasks/platform/platform-under-test.ts';

const folder = await pythonPackage('pytfe');
const describeWithPytfe = folder === undefined ? describe.skip : describe;

/** Reads the request as pytfe's own model, and reports with pytfe's own call. */
const program = `
import json, sys
from pytfe import TFEClient, TFEConfig
from pytfe.errors import TFEError
from pytfe.models.run_task_request import RunTaskRequest
from pytfe.models.run_task_integration import TaskResultCallbackRequestOptions as Options, TaskResultOutcome, TaskResultTag

address, payload, status = json.load(sys.stdin)
request = RunTaskRequest.model_validate(payload)
client = TFEClient(TFEConfig(address=address, token='unused', max_retries=0, http2=False))
outcome = TaskResultOutcome(outcome_id='a', description='looked at', body='**all**',
    tags={'Severity': [TaskResultTag(label='High', level='error')]})
try:
    client.run_task_integrations.callback(request.task_result_callback_url, request.access_token,
        Options(status=status, message='by pytfe', outcomes=[outcome]))
    answer = {'stage': request.stage, 'outcomes': request.capabilities.outcomes}
except TFEError as error:
    answer = {'refused': type(error).__name__, 'status': getattr(error, 'status', None)}
json.dump(answer, sys.stdout)
`;

describeWithPytfe('pytfe, as an integrator,', () => {
  describeOnBothDatabases('calls our platform back', (databases) => {
    let under: PlatformUnderTest;
    let stack: string;
    beforeAll(async () => {
      const database: Database = await databases.open();
      under = await PlatformUnderTest.start(database);
    });
    beforeEach(() => {
      stack = under.reset();
      under.work.tasks = [under.task('review', ['post_plan'])];
    });
    afterAll(() => under.close());
    const report = (payload: unknown, status: string) =>
      runPython(folder, program, [under.address, payload, status]);

    test('with running, then passed', async () => {
      const run = await under.run(stack);
      const payload = await under.requested(run, 'post_plan');
      expect(await report(payload, 'running')).toEqual({ stage: 'post_plan', outcomes: true });
      expect(await report(payload, 'passed')).toEqual({ stage: 'post_plan', outcomes: true });
      expect(await under.ended(run.id)).toMatchObject({
        status: 'applied',
        tasks: [
          {
            status: 'passed',
            message: 'by pytfe',
            outcomes: [{ outcomeId: 'a', tags: { Severity: [{ label: 'High', level: 'error' }] } }],
          },
        ],
      });
    });

    test('with failed, which stops the run; after that it is refused', async () => {
      const run = await under.run(stack);
      const payload = await under.requested(run, 'post_plan');
      await report(payload, 'failed');
      expect((await under.ended(run.id)).status).toBe('stopped');
      expect(await report(payload, 'passed')).toMatchObject({ refused: expect.any(String), status: 422 });
    });

    test('and is told where its token is wrong', async () => {
      const payload = await under.requested(await under.run(stack), 'post_plan');
      const answer = await report({ ...payload, access_token: 'wrong' }, 'passed');
      expect(answer).toEqual({ refused: 'AuthError', status: 401 });
    });
  });
});

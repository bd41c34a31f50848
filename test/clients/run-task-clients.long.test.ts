import { beforeEach, describe, expect, test } from '@jest/globals';
import { describePlatform } from '../../packages/run-tasks/test/platform/started-platform.ts';
import { goProgram, runProgram } from '../harness/go-program.ts';
import { pythonPackage, runPython } from '../harness/python-package.ts';

/** Reads the request as pytfe's own model, and reports with pytfe's own call. */
const script = `
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

const [program, folder] = [await goProgram('go-tfe'), await pythonPackage('pytfe')];

interface Client {
  name: string;
  isThere: boolean;
  /** Calls a platform back. */
  report(address: string, payload: object, status: string): Promise<unknown>;
  /** What it makes of an answer: taken, refused after the end, and refused for its token. */
  taken: unknown;
  late: unknown;
  unauthorized: unknown;
}

const clients: Client[] = [
  {
    name: 'go-tfe',
    isThere: program !== undefined,
    report: (address, payload, status) => runProgram(program, { address, payload, status }),
    taken: { stage: 'post_plan', outcomes: true, refused: '' },
    late: { refused: expect.stringContaining('is already failed, which is final') },
    unauthorized: { refused: 'unauthorized' },
  },
  {
    name: 'pytfe',
    isThere: folder !== undefined,
    report: (address, payload, status) => runPython(folder, script, [address, payload, status]),
    taken: { stage: 'post_plan', outcomes: true },
    late: { refused: expect.any(String), status: 422 },
    unauthorized: { refused: 'AuthError', status: 401 },
  },
];

for (const { name, isThere, report, ...answers } of clients) {
  (isThere ? describe : describe.skip)(`${name}, as an integrator,`, () => {
    describePlatform('calls our platform back', (under) => {
      beforeEach(() => {
        under.work.tasks = [under.task('review', ['post_plan'])];
      });

      test('with running, then passed, and sees that outcomes are taken', async () => {
        const run = await under.run();
        const payload = await under.requested(run, 'post_plan');
        expect(await report(under.address, payload, 'running')).toEqual(answers.taken);
        expect(await report(under.address, payload, 'passed')).toEqual(answers.taken);
        const outcomes = [{ outcomeId: 'a', tags: { Severity: [{ label: 'High', level: 'error' }] } }];
        expect(await under.ended(run.id)).toMatchObject({
          status: 'applied',
          tasks: [{ status: 'passed', message: `by ${name}`, outcomes }],
        });
      });

      test('with failed, which stops the run; after that it is refused', async () => {
        const run = await under.run();
        const payload = await under.requested(run, 'post_plan');
        await report(under.address, payload, 'failed');
        expect((await under.ended(run.id)).status).toBe('stopped');
        expect(await report(under.address, payload, 'passed')).toMatchObject(answers.late as object);
      });

      test('and learns that its token is wrong', async () => {
        const payload = await under.requested(await under.run(), 'post_plan');
        const wrong = { ...payload, access_token: 'wrong' };
        expect(await report(under.address, wrong, 'passed')).toMatchObject(answers.unauthorized as object);
      });
    });
  });
}

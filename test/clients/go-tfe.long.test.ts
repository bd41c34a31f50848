import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { goProgram, runProgram } from '../harness/go-program.ts';
import { describeOnBothDatabases } from '../harness/two-databases.ts';
import { PlatformUnderTest } from '../run-tasks/platform/platform-under-test.ts';

const program = await goProgram('go-tfe');
const describeWithGo = program === undefined ? describe.skip : describe;

describeWithGo('go-tfe, as an integrator,', () => {
  describeOnBothDatabases('calls our platform back', (databases) => {
    let under: PlatformUnderTest;
    let stack: string;
    beforeAll(async () => {
      under = await PlatformUnderTest.start(await databases.open());
    });
    beforeEach(() => {
      stack = under.reset();
      under.work.tasks = [under.task('review', ['post_plan'])];
    });
    afterAll(() => under.close());
    const report = (payload: object, status: string) =>
      runProgram(program, { address: under.address, payload, status });

    test('with running, then passed, and sees that outcomes are taken', async () => {
      const run = await under.run(stack);
      const payload = await under.requested(run, 'post_plan');
      const taken = { stage: 'post_plan', outcomes: true, refused: '' };
      expect(await report(payload, 'running')).toEqual(taken);
      expect(await report(payload, 'passed')).toEqual(taken);
      expect(await under.ended(run.id)).toMatchObject({
        status: 'applied',
        tasks: [
          {
            ...{ status: 'passed', message: 'by go-tfe' },
            outcomes: [{ outcomeId: 'a', tags: { Severity: [{ label: 'High', level: 'error' }] } }],
          },
        ],
      });
    });

    test('with failed, which stops the run; after that it is told that the status is final', async () => {
      const run = await under.run(stack);
      const payload = await under.requested(run, 'post_plan');
      await report(payload, 'failed');
      expect((await under.ended(run.id)).status).toBe('stopped');
      expect((await report(payload, 'passed')).refused).toContain('is already failed, which is final');
    });

    test('and is told where its token is wrong', async () => {
      const payload = await under.requested(await under.run(stack), 'post_plan');
      expect((await report({ ...payload, access_token: 'wrong' }, 'passed')).refused).toBe('unauthorized');
    });
  });
});

import { beforeEach, expect, test } from '@jest/globals';
import { callBack } from './scripted-integrator.ts';
import { describePlatform } from './started-platform.ts';

describePlatform('a platform that verifies run tasks', (under) => {
  beforeEach(() => {
    under.work.tasks = [under.task('review', ['post_plan'])];
  });
  const passed = async () => {
    const run = await under.run();
    await callBack(await under.requested(run, 'post_plan'), 'passed');
    return await under.ended(run.id);
  };

  test('sends one request before the first run, with a token that starts no work', async () => {
    expect(await passed()).toMatchObject({
      status: 'applied',
      verifications: [{ name: 'review', verifiedAt: under.now }],
    });
    expect(under.integrator.verifications.map(({ payload }) => payload)).toEqual([
      expect.objectContaining({
        access_token: 'test-token',
        stage: 'post_plan',
        payload_version: 1,
        task_result_enforcement_level: 'mandatory',
        plan_json_api_url: expect.stringMatching(/^http/),
      }),
    ]);
    await passed();
    expect(under.integrator.verifications).toHaveLength(1);
  });

  test('asks again where the key or the address is new', async () => {
    await passed();
    under.work.key = 'a key';
    await passed();
    const url = `${under.integrator.address}/review?2`;
    under.work.tasks = [{ ...under.task('review', ['post_plan']), url }];
    await passed();
    expect(under.integrator.verifications.map(({ path }) => path)).toEqual([
      '/review',
      '/review',
      '/review?2',
    ]);
  });

  test('refuses a run whose mandatory task never answered with 200, and says why', async () => {
    under.integrator.verify = () => 422;
    const run = await under.ended((await under.run()).id);
    expect(run).toMatchObject({
      status: 'stopped',
      reason:
        'A mandatory run task did not answer the verification request of its address and key with 200. review: answered with 422 instead of 200.',
      verifications: [{ name: 'review', trouble: 'answered with 422 instead of 200' }],
      tasks: [],
    });
    expect([under.work.done, under.integrator.received]).toEqual([[], []]);
  });

  test('verifies once more at the next run', async () => {
    under.integrator.verify = () => 503;
    await under.ended((await under.run()).id);
    under.integrator.verify = () => 200;
    expect((await passed()).status).toBe('applied');
  });

  test('lets a run begin whose advisory task did not answer, and shows it', async () => {
    under.work.tasks = [under.task('review', ['post_plan'], 'advisory')];
    under.integrator.verify = () => 500;
    const run = await passed();
    expect(run).toMatchObject({ status: 'applied', verifications: [{ name: 'review' }] });
    expect(run.verifications[0]?.verifiedAt).toBeUndefined();
  });

  test('lets a run begin whose task was verified before and is away now', async () => {
    await passed();
    under.integrator.verify = () => 503;
    expect((await passed()).status).toBe('applied');
  });

  test('refuses a run whose mandatory task is at an address that is never called', async () => {
    under.work.tasks = [{ ...under.task('review', ['pre_plan']), url: 'http://169.254.169.254/latest' }];
    const { status, reason } = await under.ended((await under.run()).id);
    expect([status, reason]).toEqual(['stopped', expect.stringContaining('not one of the allowed origins')]);
  });
});

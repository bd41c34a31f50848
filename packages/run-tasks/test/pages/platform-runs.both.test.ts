import { expect, test } from '@jest/globals';
import { isCancelable } from '../../../core/src/run-task/run.ts';
import { platformRuns } from '../../src/pages/platform-runs.ts';
import { describePlatform } from '../platform/started-platform.ts';

describePlatform('runs as pages have them', (under) => {
  const runs = () => platformRuns(under.platform);

  test('come with their tasks, and can be canceled as long as nothing was applied', async () => {
    const { id } = (await under.asked('post_plan')).run;
    const running = await runs().read(id);
    if (running === undefined) throw new Error('the run is not there');
    expect([running.status, running.tasks.map(({ name }) => name), isCancelable(running.status)]).toEqual([
      'post_plan',
      ['review'],
      true,
    ]);
    await runs().decide(id, { verb: 'cancel', by: { name: 'staff-alice', policies: [] } });
    const canceled = await runs().read(id);
    expect([canceled?.status, canceled && isCancelable(canceled.status)]).toEqual(['canceled', false]);
  });

  test('have what their plan changes, which lists leave out', async () => {
    const changes = {
      counts: { create: 1 },
      resources: [{ kind: 'create' as const, title: 'Role a\u0000\ud800', children: [] }],
      unlisted: 0,
    };
    under.work.onPlan = async () => ({ json: { steps: [] }, hasChanges: true, changes });
    const { id } = await under.ended((await under.run()).id);
    expect((await runs().read(id))?.changes).toEqual(changes);
    expect((await runs().list({ stack: under.stack, limit: 1 }))[0]).not.toHaveProperty('changes');
  });

  test('show the log of the apply while it goes on, at most a thousand lines of it', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    under.work.onApply = async (onProgress) => {
      onProgress('created Role a\u0000');
      onProgress('created Role b');
      await released;
      for (let line = 2; line < 1002; line += 1) onProgress(`created Role ${line}`);
      return { succeeded: true, message: '' };
    };
    const { id } = await under.run();
    const applying = await under.runWhen(id, ({ applyLog }) => applyLog.length === 2);
    expect([applying.status, applying.applyLog]).toEqual([
      'applying',
      ['created Role a\ufffd', 'created Role b'],
    ]);
    release();
    await under.ended(id);
    const log = (await runs().read(id))?.applyLog;
    expect([log?.length, log?.at(-1)]).toEqual([1000, 'created Role 999']);
    expect((await under.platform.readRun(id)).version).toBeGreaterThan(applying.version);
  });

  test('name the commit of their files and its page', async () => {
    under.work.commit = '0f3c';
    const { id } = await under.ended((await under.run()).id);
    expect(await runs().read(id)).toMatchObject({
      commit: '0f3c',
      commitUrl: 'https://code.example.com/login/commit/0f3c',
    });
  });

  test('are none by an id that there is not', async () => {
    expect(await runs().read('none')).toBeUndefined();
  });
});

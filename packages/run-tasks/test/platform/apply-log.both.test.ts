import { expect, test } from '@jest/globals';
import { silent } from '../../src/log.ts';
import { applyLog, readApplyLog } from '../../src/platform/apply-log.ts';
import type { Database } from '../../src/store/database.ts';
import { describePlatform } from './started-platform.ts';

describePlatform('the log of an apply', (under) => {
  const write = (run: string, line: string, database: Database = under.database) =>
    applyLog(run, database, silent)(line);

  test('keeps the lines of a process that ended, and takes none once the run has moved on', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    under.work.onApply = async (onProgress) => {
      onProgress('created Role web');
      await released;
      return { succeeded: true, message: '' };
    };
    const { id } = await under.run();
    await under.runWhen(id, ({ applyLog }) => applyLog.length > 0);
    await write(id, 'The apply was interrupted. It goes on.');
    const lines = ['created Role web', 'The apply was interrupted. It goes on.'];
    expect(await readApplyLog(under.database, id)).toEqual(lines);
    release();
    await under.ended(id);
    await write(id, 'too late');
    expect(await readApplyLog(under.database, id)).toEqual(lines);
  });

  test('that cannot be stored does not fail the apply', async () => {
    const broken: any = {
      transaction: async () => {
        throw new Error('the disk is full');
      },
    };
    await expect(write('run-1', 'created Role web', broken)).resolves.toBeUndefined();
  });
});

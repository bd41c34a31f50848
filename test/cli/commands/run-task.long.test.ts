import { expect, test } from '@jest/globals';
import { lastingPort } from '../../harness/server-process.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { describeOnBothDatabases } from '../../harness/two-databases.ts';
import { runCommand, startCommand } from '../running-command.ts';

const env = { GATEHOUSE_RUN_TASK_KEY: 'the key of the test' };
const folder = temporaryFolder();

describeOnBothDatabases('gatehouse run-task test', (databases) => {
  test('finds nothing wrong with gatehouse serve, and exits with 0', async () => {
    const port = await lastingPort();
    const { url, home } = await databases.place();
    const own = { ...env, GATEHOUSE_HOME: home, ...(url && { DATABASE_URL: url }) };
    const origin = `http://127.0.0.1:${port}`;
    const serve = ['serve', '--port', '0', '--allow-origin', origin, '--json'];
    const started = await startCommand(serve, own, folder);
    const [endpoint] = JSON.parse(started.terminal.stdout.text).endpoints;
    const { code, out } = await runCommand(['run-task', 'test', '--url', endpoint, '--port', `${port}`], env);
    await started.stop();
    expect(out).toMatch(/\n\n\d+ right, 0 wrong, 0 skipped\n$/);
    expect(code).toBe(0);
  });
});

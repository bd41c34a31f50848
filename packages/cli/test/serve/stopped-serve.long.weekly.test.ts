import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { environmentFor, root } from '../../../../test/harness/environment-under-test.ts';
import { started } from '../../../../test/harness/started.ts';
import { openTestPlatform, sendTask } from '../../../../test/harness/test-platform.ts';
import { describeOnBothDatabases, type TestedDatabase } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import { RunClient } from '../../../run-tasks/src/client/run-client.ts';

const program = join(root, 'packages/cli/gatehouse.mjs');
const isRunning = (title: string) =>
  globSync('/proc/[0-9]*/cmdline').some((path) => {
    try {
      return readFileSync(path, 'utf8').startsWith(title);
    } catch {
      return false;
    }
  });
/** Milliseconds: ten seconds for what is under way, and some for a busy machine. */
const patience = 20_000;

describeOnBothDatabases('gatehouse serve, at SIGTERM', (databases) => {
  let place: Awaited<ReturnType<TestedDatabase['place']>>;
  const children: ChildProcess[] = [];
  const service = started(startEmbeddedService);
  const environment = environmentFor(service);
  beforeAll(async () => {
    place = await databases.place();
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  /** Starts `gatehouse serve`, and reads where it listens. */
  async function serve(argv: string[], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(
      process.execPath,
      [program, 'serve', '--json', '--port', '0', '--home', place.home, ...argv],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: {
          ...environment().env,
          NODE_OPTIONS: '',
          GATEHOUSE_RUN_TASK_KEY: 'k',
          ...(place.url === undefined ? {} : { DATABASE_URL: place.url }),
          ...env,
        },
      },
    );
    children.push(child);
    let output = '';
    for await (const chunk of child.stdout) {
      output += chunk;
      if (/^}$/m.test(output)) break;
    }
    return { child, address: JSON.parse(output).address as string };
  }

  /** Exit code, or what it is that it did not come in time. */
  async function terminated(child: ChildProcess): Promise<unknown> {
    const exit = once(child, 'exit', { signal: AbortSignal.timeout(patience) });
    child.kill('SIGTERM');
    return await exit.then(
      ([code, signal]) => signal ?? code,
      () => 'still there',
    );
  }

  test('ends with 0, and the next one brings the task that it worked on to its end', async () => {
    const platform = await openTestPlatform();
    const argv = ['--allow-origin', platform.address];
    // The plan does not come in time.
    const task = platform.newTask({ stage: 'post_plan', slowMs: 10_000 });
    const first = await serve(argv);
    expect((await sendTask(`${first.address}/integrator/review`, task.payload, { key: 'k' })).status).toBe(
      200,
    );
    await until(async () =>
      /^gatehouse_deliveries_open\{status="working"\} 1/m.test(
        await (await fetch(`${first.address}/metrics`)).text(),
      ),
    );
    expect(await terminated(first.child)).toBe(0);
    expect(task.callbacks).toEqual([]);

    task.behavior.slowMs = 0;
    const next = await serve(argv);
    await until(() => task.finals.length > 0);
    expect(task.finals.map(({ status }) => status)).toEqual(['passed']);
    expect(await terminated(next.child)).toBe(0);
    await platform.close();
  }, 120_000);

  test('ends with 0 in the midst of a plan, its program with it, and the next one makes the plan', async () => {
    const directory = await environment().writeProject((yaml) =>
      yaml.replace(/ {2}gatehouse:runTasks:\n.*\n {2}gatehouse:runTaskKeys:\n.*\n/, ''),
    );
    const main = join(directory, 'main.mjs');
    const whole = readFileSync(main, 'utf8');
    // It is kept apart, and can write nothing that is seen here.
    const title = `planning-${basename(place.home)}`;
    writeFileSync(
      main,
      `process.title = ${JSON.stringify(title)};
       await new Promise((resolve) => setTimeout(resolve, 600_000));`,
    );
    const argv = ['--cwd', directory];
    const env = { VAULT_ADDR: service().address };
    const first = await serve(argv, env);
    const client = new RunClient({ address: first.address, token: service().token });
    const { id } = await client.create({ stack: 'dev', message: '', speculative: true });
    await until(() => isRunning(title));
    expect(await terminated(first.child)).toBe(0);
    await until(() => !isRunning(title), 1000);

    writeFileSync(main, whole);
    const next = await serve(argv, env);
    let ended: [string, string | null] | undefined;
    for await (const run of new RunClient({ address: next.address, token: service().token }).watch(id)) {
      ended = [run.status, run.reason];
    }
    expect(ended).toEqual(['planned_and_finished', null]);
    expect(await terminated(next.child)).toBe(0);
  }, 120_000);
});

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sinkAnswers } from '../../run-tasks/kit/sink.ts';
import { openTestPlatform, sendTask, type TestPlatform } from '../../run-tasks/kit/test-platform.ts';
import { listen } from '../../web/listen.ts';
import { lastingPort } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { runCommand, startCommand, wordsOf } from './running-command.ts';

const env = { GATEHOUSE_RUN_TASK_KEY: 'the key of the test' };
const folder = temporaryFolder();

let stop: (() => Promise<{ code: number }>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
const startSink = async (...argv: string[]) => {
  const started = await startCommand(['run-task', 'sink', '--port', '0', '--json', ...argv], env, folder);
  stop = started.stop;
  const events = () =>
    started.terminal.stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { ...started, events, url: events()[0].address as string };
};

describe('gatehouse run-task test, against a sink', () => {
  test.each<[string, string[], string[], string]>([
    ['fail', [], ['the same request again: one result'], 'did not send it again'],
    ['silence', [], ['post_plan: 200 at once, then one final result'], 'no callback came'],
    ['late', ['--after', '60'], ['pre_apply: 200 at once, then one final result'], 'no callback came'],
    ['garbage', [], ['pre_plan: 200 at once, then one final result'], 'callbacks were answered 422'],
  ])('that answers with %s: exits with 2, and names what is wrong', async (answer, more, names, detail) => {
    const { url } = await startSink('--answer', answer, ...more);
    const { code, out } = await runCommand(
      ['run-task', 'test', '--url', url, '--timeout', '1', '--json'],
      env,
    );
    const { checks, wrong } = JSON.parse(out);
    const objections = checks.filter(({ verdict }: { verdict: string }) => verdict === 'wrong');
    expect(code).toBe(2);
    expect(wrong).toBe(objections.length);
    expect(objections.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names));
    expect(objections.flatMap(({ details }: { details: string[] }) => details)).toContainEqual(
      expect.stringContaining(detail),
    );
  });

  test('says so in words, and which checks it skips without a key', async () => {
    const { url } = await startSink('--answer', 'silence');
    const { code, out } = await runCommand(['run-task', 'test', '--url', url, '--timeout', '1'], {});
    expect(code).toBe(2);
    expect(out).toContain(
      'skipped  signature left empty: refused, and no work\n           no key is given\n',
    );
    expect(out).toMatch(/\nwrong {4}post_apply: 200 at once, then one final result\n {11}/);
    expect(out).toMatch(/\n\n\d+ right, \d+ wrong, 4 skipped\n$/);
  });

  test('takes the key of a file before that of the environment', async () => {
    writeFileSync(join(folder, 'key.txt'), 'a key of its own\n');
    const { url } = await startSink('--key-file', 'key.txt', '--answer', 'silence');
    const send = ['run-task', 'test', '--url', url, '--timeout', '1', '--json'];
    const verification = async (...more: string[]) => {
      const { out } = await runCommand([...send, ...more], env, folder);
      return JSON.parse(out).checks[0];
    };
    const [right, wrong] = await Promise.all([verification('--key-file', 'key.txt'), verification()]);
    expect(right).toMatchObject({
      name: 'verification request as a whole payload: 200, and no work',
      verdict: 'right',
    });
    expect(wrong).toMatchObject({ verdict: 'wrong', details: ['answered 401, and only 200 counts'] });
  });
});

describe('gatehouse run-task sink', () => {
  let platform: TestPlatform;
  beforeEach(async () => {
    platform = await openTestPlatform();
  });
  afterEach(() => platform.close());

  const passed = { running: 200, passed: 200 };
  const garbage = { 'truncated JSON': 422, 'another type': 422, 'status "done"': 422 };
  test.each<[string, string[], Record<string, number>, string[]]>([
    ['pass', [], passed, ['passed']],
    ['fail', [], { running: 200, failed: 200 }, ['failed']],
    ['late', ['--after', '1'], passed, ['passed']],
    ['silence', [], {}, []],
    ['garbage', [], { ...garbage, 'passed, with another token': 401 }, []],
  ])(
    'does as told by --answer %s, says what was answered, and ends with 0',
    async (answer, more, said, finals) => {
      const { url, events, stop: end } = await startSink('--answer', answer, ...more);
      const task = platform.newTask({ stage: 'pre_plan' });
      const { status } = await sendTask(url, task.payload, { key: env.GATEHOUSE_RUN_TASK_KEY });
      expect(status).toBe(200);
      const answered = Object.entries({ request: 200, ...said }).map(([what, status]) => ({
        ...{ taskResultId: task.id, stage: 'pre_plan', what, status },
      }));
      await until(() => events().length > answered.length);
      expect(events()).toEqual([{ address: url, answer }, ...answered]);
      expect(task.finals.map((final) => final.status)).toEqual(finals);
      expect((await end()).code).toBe(0);
    },
  );

  test('says the same in words, and no token', async () => {
    const started = await startCommand(['run-task', 'sink', '--port', '0'], env);
    stop = started.stop;
    const { stdout } = started.terminal;
    const [, url = ''] = /^(http:\S+) answers: pass\n$/.exec(stdout.text) ?? [];
    const task = platform.newTask({ stage: 'pre_plan' });
    await sendTask(url, task.payload, { key: env.GATEHOUSE_RUN_TASK_KEY });
    await until(() => stdout.text.includes('passed'));
    expect(stdout.text).toContain(
      `request pre_plan ${task.id} 200\nrunning pre_plan ${task.id} 200\npassed pre_plan ${task.id} 200\n`,
    );
    expect(stdout.text).not.toContain(task.token);
  });

  test('listens where it is told, and says so', async () => {
    const { url } = await startSink('--host', '127.0.0.2');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    const { port } = new URL(url);
    const { err } = await runCommand(wordsOf(`run-task sink --host 127.0.0.2 --port ${port}`));
    expect(err).toContain(`cannot listen on port ${port} of 127.0.0.2`);
  });

  test('has on its command line every answer that there is', async () => {
    const { out } = await runCommand(['run-task', 'sink', '--help']);
    expect(out.replace(/\s+/g, ' ')).toContain(
      `choices: ${sinkAnswers.map((answer) => JSON.stringify(answer)).join(', ')}`,
    );
  });
});

describe('gatehouse run-task, as it should not be called', () => {
  test.each([
    ['test', 'one of --url and --platform'],
    ['test --url x', 'a URL starts with http:// or https://'],
    ['test --url http://127.0.0.1:1 --timeout 0', 'must be a whole number of seconds'],
    ['test --url http://127.0.0.1:1 --key-file no', '(file_unreadable)'],
    ['sink --answer maybe', 'Allowed choices are pass,'],
    ['sink --key-file no', '(file_unreadable)'],
  ])('%s: one clear error', async (line, message) => {
    const { code, out, err } = await runCommand(['run-task', ...wordsOf(line)], env, folder);
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(message) });
  });

  test.each([['test', '--url', 'http://127.0.0.1:1'], ['sink']])(
    '%s on a port that is taken: says which',
    async (...argv) => {
      const taken = createServer();
      const port = await listen(taken, 0);
      const { code, err } = await runCommand(['run-task', ...argv, '--port', `${port}`], env);
      taken.close();
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`port ${port} `) });
      expect(err).toContain('(port_in_use)');
    },
  );

  test('test of an address where nothing answers: exits with 2, and says so', async () => {
    const { code, out } = await runCommand(
      ['run-task', 'test', '--url', `http://127.0.0.1:${await lastingPort()}`, '--timeout', '1', '--json'],
      env,
    );
    expect(code).toBe(2);
    expect(JSON.parse(out).checks[0].details).toEqual([
      expect.stringMatching(/^cannot be reached: .*ECONNREFUSED/),
    ]);
  });
});

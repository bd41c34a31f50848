// The command as it is started: the file that package.json names, in a process of its own.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const bin = fileURLToPath(new URL('../gatehouse.mjs', import.meta.url));
const run = (nodeOptions: string[], argv: string[]) => {
  const env = { ...process.env, NODE_OPTIONS: '', PULUMI_STACK: '' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, bin, ...argv], {
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr };
};

describe('the gatehouse command', () => {
  test('prints to stdout and exits 0', () => {
    expect(run([], ['--version'])).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  test('exits 1 with a message and no stack trace on an error', () => {
    const { status, stderr } = run([], ['preview', '-s', 'no-such-stack']);
    expect(status).toBe(1);
    expect(stderr).toContain('(stack_unknown)');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('says in a line that Node is too old', () => {
    const { status, stderr } = run(['--no-experimental-strip-types'], ['--version']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: Gatehouse needs a Node that runs TypeScript: 22\.18 or newer/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test.each([
    ['--help', 'zod|yaml|'],
    ['up --help', 'zod|yaml|'],
    // Its options are what the kinds of provider ask.
    ['init --help', ''],
  ])('%s loads nothing heavy', (line, schemas) => {
    const reporter = `
      import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });
    `;
    const { stderr } = run(
      ['--import', `data:text/javascript,${encodeURIComponent(reporter)}`],
      line.split(' '),
    );
    expect(stderr).toContain('packages/cli/src/main.ts');
    const heavy = `node_modules/(${schemas}@pulumi|@grpc|google-protobuf|jose)|/engine/(local|pulumi|plugins)/`;
    expect(stderr).not.toMatch(new RegExp(heavy));
  });
});

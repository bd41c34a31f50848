import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { CheckResult, SinkAnswer } from '../../operations/serve/run-task.ts';
import { printable, type Style } from '../rendering/style.ts';
import { ExitCode, type Terminal } from '../rendering/terminal.ts';
import {
  type AddCommand,
  type CommonOptions,
  parsePort,
  parseSeconds,
  print,
  untilStopped,
  withProgress,
} from './command.ts';

interface TestOptions extends CommonOptions {
  url?: string;
  platform?: string;
  keyFile?: string;
  port: number;
  host: string;
  address?: string;
  timeout: number;
}

interface SinkOptions extends CommonOptions {
  port: number;
  host: string;
  keyFile?: string;
  answer: SinkAnswer;
  after: number;
}

const keyHelp = 'file with the key of the run task (default: $GATEHOUSE_RUN_TASK_KEY)';

export const addRunTask: AddCommand = (program, { terminal }) => {
  const group = program.command('run-task').summary('play the other side of the run task protocol');
  group
    .add('test', 'play one side against the other, and report what that does right and wrong', [
      'gatehouse run-task test --url http://127.0.0.1:8300/integrator/review --port 8399',
      'gatehouse run-task test --platform https://platform.example.com --host 0.0.0.0 --port 8399',
      'gatehouse run-task test --url https://tasks.example.com/x --host 0.0.0.0 --port 8399 --address https://me.example.com',
    ])
    .option('--url <url>', 'URL of an integrator: play a platform against it', parseUrl)
    .option(
      '--platform <url>',
      'address of a platform: play an integrator against it, and wait for the request of a run task',
      parseUrl,
    )
    .option('--key-file <file>', keyHelp)
    .option('--port <number>', 'port that the other side calls, 0 for any', parsePort, 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--address <url>',
      'address at which the integrator reaches this command (default: where it listens)',
      parseUrl,
    )
    .option('--timeout <seconds>', 'how long to wait for a final result', parseSeconds(86_400), 60)
    .note('Exit code 2: the other side does something wrong.')
    .action((options: TestOptions) => test(options, terminal));
  group
    .add('sink', 'play an integrator with a chosen answer, to test a platform', [
      'gatehouse run-task sink --answer fail --port 8398',
    ])
    .choice(
      '--answer <what>',
      'what to do after answering 200',
      ['pass', 'fail', 'silence', 'late', 'garbage'],
      'pass',
    )
    .option('--port <number>', 'port to listen on, 0 for any', parsePort, 8398)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--key-file <file>', keyHelp)
    .option('--after <seconds>', 'delay of a late answer', parseSeconds(86_400), 660)
    .note('It calls any address that a request names. Only for tests, on your own machine.')
    .action((options: SinkOptions) => sink(options, terminal));
};

async function test(options: TestOptions, terminal: Terminal): Promise<void> {
  const { url, platform, port, host, address, timeout } = options;
  const { readRunTaskKey, testPlatform, testRunTask } = await import('../../operations/serve/run-task.ts');
  const key = await readRunTaskKey(keyFileOf(options, terminal), terminal.env);
  const bench = { key, port, host, patienceMs: timeout * 1000 };
  const checks = await withProgress(terminal, async (progress) => {
    if (url !== undefined && platform === undefined) {
      progress.say(`asking ${url} …`);
      return testRunTask({ url, address, ...bench });
    }
    if (platform === undefined || url !== undefined) throw oneOf('--url', '--platform');
    const onListening = (bound: number) =>
      progress.say(`waiting on port ${bound} for a request of ${platform} …`);
    return testPlatform({ platform, ...bench, onListening });
  });
  const count = (verdict: CheckResult['verdict']) => checks.filter((one) => one.verdict === verdict).length;
  const sums = { right: count('right'), wrong: count('wrong'), skipped: count('skipped') };
  const summary = `${sums.right} right, ${sums.wrong} wrong, ${sums.skipped} skipped`;
  print(terminal, options, { url, platform, ...sums, checks }, (style) =>
    [...checks.map((one) => checkText(one, style)), '', summary, ''].join('\n'),
  );
  terminal.exitCode = sums.wrong === 0 ? ExitCode.ok : ExitCode.no;
}

function oneOf(...options: string[]): GatehouseError {
  return new GatehouseError({
    code: 'option_missing',
    what: 'one side to play against is needed',
    allowed: `one of ${options.join(' and ')}`,
  });
}

function checkText({ name, verdict, details }: CheckResult, style: Style): string {
  const words = {
    right: style.added('right  '),
    wrong: style.removed('wrong  '),
    skipped: style.faint('skipped'),
  };
  return [`${words[verdict]}  ${name}`, ...details.map((text) => `           ${printable(text)}`)].join('\n');
}

async function sink(options: SinkOptions, terminal: Terminal): Promise<void> {
  const { json, port, host, answer, after } = options;
  const { readRunTaskKey, startSink } = await import('../../operations/serve/run-task.ts');
  const key = await readRunTaskKey(keyFileOf(options, terminal), terminal.env);
  const write = (event: object, text: string) =>
    terminal.stdout.write(json ? `${JSON.stringify(event)}\n` : `${printable(text)}\n`);
  const running = await startSink({
    ...{ port, host, answer, key, lateMs: after * 1000 },
    onEvent: (event) => {
      const { taskResultId = '', stage = '', what, status } = event;
      write(event, `${what} ${stage} ${taskResultId} ${status ?? 'no answer'}`.replace(/ +/g, ' '));
    },
  });
  // Before anything is printed: its reader may stop this at once.
  const stopped = untilStopped();
  try {
    write({ address: running.address, answer }, `${running.address} answers: ${answer}`);
    await stopped;
  } finally {
    await running.close();
  }
}

function keyFileOf({ keyFile }: { keyFile?: string }, { cwd }: Terminal): string | undefined {
  return keyFile === undefined ? undefined : resolve(cwd, keyFile);
}

function parseUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError('a URL starts with http:// or https://');
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '../stack.ts';
import { type Apart, type Contained, harmlessVariables, keepApart } from './containment.ts';
import type { Deployment } from './deployment.ts';
import { withheldFrom } from './withheld.ts';

export interface ProgramOptions {
  stack: Stack;
  dryRun: boolean;
  parallel: number;
  /** Passed to the program, in addition to the engine's own variables. */
  env: NodeJS.ProcessEnv;
  /** Keep the program's stack traces and debug messages. */
  verbose: boolean;
  /** For an untrusted program: how it is isolated, as far as the system can. It gets no variable that could be secret. */
  contained?: Contained | undefined;
}

/**
 * In megabytes. With Node's default, a program with 1,000 roles takes 120 MB more and little less time
 * (packages/bench/README.md).
 */
const youngSpace = '--max-semi-space-size=4';

/**
 * Preloaded into every program: one whose engine was killed cannot write, and ends. Without it, the SDK reports each
 * failed write by another one, without end (measured: 13 GB in 50 minutes).
 */
const endWithEngine = `--import=data:text/javascript,${encodeURIComponent(
  "for (const out of [process.stdout, process.stderr]) out.on('error', () => process.exit(1));",
)}`;

/** This project's folder, that of its own program. */
const ownFolder = join(import.meta.dirname, '../../../..');

/**
 * Node's options for a program. Only this project's own one, `main.mjs`, has the SDK load less
 * (docs/adr/0005-lean-sdk.md).
 */
export function nodeOptions({ directory }: Pick<Stack, 'directory'>, env: NodeJS.ProcessEnv): string[] {
  if (directory !== ownFolder || env['GATEHOUSE_TRACES'] === '1') return [youngSpace, endWithEngine];
  return [youngSpace, endWithEngine, `--import=${new URL('lean-executor.ts', import.meta.url).href}`];
}

/**
 * Runs the stack's program and finishes the deployment. Resolves to whether the program succeeded; its messages are in
 * the deployment's report.
 *
 * @param address where both services of the deployment listen
 * @throws GatehouseError `sdk_not_found`, `config_too_large`
 */
export async function evaluateProgram(
  deployment: Deployment,
  address: string,
  options: ProgramOptions,
): Promise<boolean> {
  const complaints: string[] = [];
  const succeeded = await runProgram(options, address, deployment.stopped, (line, stream) => {
    if (stream === 'stderr') complaints.push(line);
    else if (line !== '') deployment.report.diagnose('info', line);
  });
  await deployment.finish(succeeded);
  tellComplaints(complaints.join('\n'), succeeded, deployment, options);
  return succeeded;
}

/** Runs the program by the SDK's executor on this Node, which runs TypeScript. Resolves to whether it exited with 0. */
async function runProgram(
  options: ProgramOptions,
  address: string,
  signal: AbortSignal,
  onLine: (line: string, stream: 'stdout' | 'stderr') => void,
): Promise<boolean> {
  const { stack, env, contained } = options;
  const variables = programVariables(contained === undefined ? stack : withheldFrom(stack, contained));
  refuseTooLarge(variables.PULUMI_CONFIG);
  const program = [executor(stack.directory), ...executorArguments(options, address)];
  const node = [process.execPath, ...nodeOptions(stack, env), ...program];
  // If this process has a compile cache, its programs share it.
  const compileCache = env['NODE_COMPILE_CACHE'] || join(stack.home, 'compile-cache');
  const apart: Apart | undefined =
    contained &&
    keepApart(contained, {
      directory: stack.directory,
      files: contained.files,
      compileCache,
      sockets: [dirname(address.replace(/^unix:/, ''))],
    });
  const [command = '', ...args] = [...(apart?.command ?? []), ...node];
  const child = spawn(command, args, {
    cwd: stack.directory,
    env: {
      // The cache saves a second of loading the SDK. An untrusted program must not write code that others run.
      ...((contained === undefined || apart?.isApart) && { NODE_COMPILE_CACHE: compileCache }),
      ...(contained === undefined ? env : harmlessVariables(env)),
      ...apart?.variables,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C must reach the engine only, which lets operations in progress finish.
    detached: true,
  });
  // The isolating process passes on no other signal; when it is killed, the program ends with it.
  const stop = () => child.kill(contained === undefined ? 'SIGTERM' : 'SIGKILL');
  process.once('exit', stop);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    const closed = once(child, 'close');
    createInterface({ input: child.stdout }).on('line', (line) => onLine(line, 'stdout'));
    createInterface({ input: child.stderr }).on('line', (line) => onLine(line, 'stderr'));
    const [code] = await closed;
    return code === 0;
  } finally {
    process.off('exit', stop);
    signal.removeEventListener('abort', stop);
    apart?.remove();
  }
}

/** The path of the executor in the program's SDK, or in this package's SDK if the program has none. */
export function executor(directory: string): string {
  const name = '@pulumi/pulumi/cmd/run/index.js';
  for (const importer of [join(directory, 'package.json'), import.meta.url]) {
    try {
      return createRequire(importer).resolve(name);
    } catch {
      // Tried from the next place.
    }
  }
  throw new GatehouseError('sdk_not_found', { where: directory });
}

export function executorArguments(
  { stack, dryRun, parallel }: Pick<ProgramOptions, 'stack' | 'dryRun' | 'parallel'>,
  address: string,
): string[] {
  return [
    ['--monitor', address],
    ['--engine', address],
    ['--project', stack.project],
    ['--stack', stack.name],
    ['--organization', 'organization'],
    ['--root-directory', stack.directory],
    ['--pwd', stack.directory],
    dryRun ? ['--dry-run'] : [],
    ['--parallel', String(parallel)],
    [stack.main],
  ].flat();
}

/** Bytes of an environment variable on Linux, with its name and terminator (`MAX_ARG_STRLEN`, execve(2)). */
const largestVariable = 131_072;

/** The SDK reads the configuration from one variable, under the real CLI too. */
function refuseTooLarge(config: string): void {
  const bytes = Buffer.byteLength(`PULUMI_CONFIG=${config}`) + 1;
  if (bytes <= largestVariable) return;
  throw new GatehouseError('config_too_large', {
    given: `${bytes} bytes`,
    allowed: `${largestVariable} bytes`,
  });
}

/** The environment variables that the executor reads. */
export function programVariables({ config }: Stack) {
  const values = Object.fromEntries([...config].map(([key, { value }]) => [key, value]));
  const secretKeys = [...config].filter(([, { secret }]) => secret).map(([key]) => key);
  return {
    PULUMI_CONFIG: JSON.stringify(values),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
    // Keeps the executor from loading ts-node.
    PULUMI_NODEJS_TYPESCRIPT: 'false',
  };
}

/** The program's stderr is an error only if the program failed without reporting any. */
function tellComplaints(
  complaints: string,
  succeeded: boolean,
  { report }: Deployment,
  { stack, verbose }: ProgramOptions,
): void {
  const text = verbose ? complaints : withoutStackTrace(complaints, stack.directory);
  if (!succeeded && !report.diagnostics.some(({ severity }) => severity === 'error')) {
    report.error(new GatehouseError('program_failed', { given: text || undefined }));
  } else if (text !== '') {
    // The step has said why. The SDK repeats it for every resource that waited.
    report.diagnose(!succeeded && report.steps.some(({ failed }) => failed) ? 'debug' : 'info', text);
  }
}

const frame = /^\s+at .+/;

/** A program's error message without its stack trace, except for the place in the project. */
export function withoutStackTrace(message: string, directory: string): string {
  const lines = stripVTControlCharacters(message).split('\n');
  const place = lines.find(
    (line) => frame.test(line) && line.includes(`${directory}/`) && !line.includes('/node_modules/'),
  );
  const position =
    place === undefined
      ? undefined
      : /([^/(\s][^(\s]*:\d+:\d+)\)?\s*$/.exec(place.replace(`${directory}/`, ''));
  const text = lines
    .filter((line) => !frame.test(line))
    .join('\n')
    .replaceAll(`${directory}/`, '')
    .trim();
  const at = position?.[1]?.replace(/^file:\/\//, '');
  return at === undefined ? text : `${text}\n  at ${at}`;
}

/** The feature that the SDK's message says the engine lacks; the SDK takes the engine for the Pulumi CLI. */
export function unsupportedFeature(message: string): string | undefined {
  return /The Pulumi CLI does not support (?:the )?(.+?)\. Please update/.exec(message)?.[1];
}

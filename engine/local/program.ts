import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Stack } from '../stack.ts';

export interface ProgramOptions {
  stack: Stack;
  /** `host:port` of the two services it is to use. */
  monitorAddress: string;
  engineAddress: string;
  dryRun: boolean;
  parallel: number;
  /** What the program sees besides the engine's own variables. */
  env: NodeJS.ProcessEnv;
  /** Ends the program. */
  signal: AbortSignal;
  /** Each line that it prints. */
  onLine: (line: string, stream: 'stdout' | 'stderr') => void;
}

export type ProgramEnd = 'succeeded' | 'failed and said so' | 'failed';

/** The SDK's exit code for a failure that it has logged (`@pulumi/pulumi/cmd/run`). */
const failedAndSaidSo = 32;

/**
 * Megabytes of one half of the heap's young part. Node's own choice leaves a program with 1,000 roles at 120 MB
 * more, and saves little time (bench/README.md).
 */
const youngSpace = '--max-semi-space-size=4';

/** What the SDK loads and hardly any program needs is put off. */
const leanExecutor = new URL('lean-executor.ts', import.meta.url).href;

/**
 * Runs the stack's program, unmodified, by the SDK's own executor on this Node, which runs TypeScript as it is.
 *
 * @throws GatehouseError `sdk_not_found`, `config_too_large`
 */
export async function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { stack, env, signal, onLine } = options;
  const variables = configVariables(stack);
  refuseTooLarge(variables.PULUMI_CONFIG);
  const child = spawn(
    process.execPath,
    [youngSpace, `--import=${leanExecutor}`, executor(stack.directory), ...executorArguments(options)],
    {
      cwd: stack.directory,
      env: {
        // A third of a second a start: the SDK loads TypeScript's compiler, nine megabytes of source.
        NODE_COMPILE_CACHE: join(stack.home, 'compile-cache'),
        ...env,
        ...variables,
        PULUMI_NODEJS_TYPESCRIPT: 'false',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Of its own: a Ctrl-C is the engine's to handle, which lets what is under way finish.
      detached: true,
    },
  );
  const stop = () => child.kill();
  process.once('exit', stop);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    const exited = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code));
    });
    createInterface({ input: child.stdout }).on('line', (line) => onLine(line, 'stdout'));
    createInterface({ input: child.stderr }).on('line', (line) => onLine(line, 'stderr'));
    const code = await exited;
    if (code === 0) return 'succeeded';
    return code === failedAndSaidSo ? 'failed and said so' : 'failed';
  } finally {
    process.off('exit', stop);
    signal.removeEventListener('abort', stop);
  }
}

/** The program's own SDK, else this package's. */
function executor(directory: string): string {
  const name = '@pulumi/pulumi/cmd/run/index.js';
  for (const from of [join(directory, 'package.json'), import.meta.url]) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      // Tried from the next place.
    }
  }
  throw new GatehouseError({
    code: 'sdk_not_found',
    what: 'the program has no Pulumi SDK',
    fix: 'Run `npm ci` in the project.',
    where: directory,
  });
}

function executorArguments(options: ProgramOptions): string[] {
  const { stack, monitorAddress, engineAddress, dryRun, parallel } = options;
  return [
    ['--monitor', monitorAddress],
    ['--engine', engineAddress],
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

/** Bytes of one environment variable on Linux, its name and end included (`MAX_ARG_STRLEN`, execve(2)). */
const largestVariable = 131_072;

/** The SDK takes a stack's configuration from one variable, under the real CLI too. */
function refuseTooLarge(config: string): void {
  const bytes = Buffer.byteLength(`PULUMI_CONFIG=${config}`) + 1;
  if (bytes <= largestVariable) return;
  throw new GatehouseError({
    code: 'config_too_large',
    what: 'the stack’s configuration is larger than Pulumi can hand over to a program',
    given: `${bytes} bytes`,
    allowed: `${largestVariable} bytes`,
    fix: 'Move what is not secret into a file of its own, which gatehouse:file names (docs/environment.md).',
  });
}

function configVariables({ config }: Stack): { PULUMI_CONFIG: string; PULUMI_CONFIG_SECRET_KEYS: string } {
  const values = Object.fromEntries([...config].map(([key, { value }]) => [key, value]));
  const secretKeys = [...config].filter(([, { secret }]) => secret).map(([key]) => key);
  return { PULUMI_CONFIG: JSON.stringify(values), PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys) };
}

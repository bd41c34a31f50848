import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { GatehouseError } from '../../core/model/errors.ts';
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
 * Runs the stack's program, unmodified, by the SDK's own executor on this Node, which runs TypeScript as it is.
 *
 * @throws GatehouseError `sdk_not_found`
 */
export async function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { stack, env, signal, onLine } = options;
  const child = spawn(process.execPath, [executor(stack.directory), ...executorArguments(options)], {
    cwd: stack.directory,
    env: { ...env, ...configVariables(stack), PULUMI_NODEJS_TYPESCRIPT: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Of its own: a Ctrl-C is the engine's to handle, which lets what is under way finish.
    detached: true,
  });
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
    mend: 'Run `npm ci` in the project.',
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

function configVariables({ config }: Stack): Record<string, string> {
  const values = Object.fromEntries([...config].map(([key, { value }]) => [key, value]));
  const secretKeys = [...config].filter(([, { secret }]) => secret).map(([key]) => key);
  return { PULUMI_CONFIG: JSON.stringify(values), PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys) };
}

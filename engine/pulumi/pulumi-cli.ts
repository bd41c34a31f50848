import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Environment } from '../passphrase.ts';
import { isSystemError } from '../system-error.ts';

export interface CliRun {
  args: string[];
  /** Absolute path of the project's folder. */
  directory: string;
  env: Environment;
  onLine: (line: string) => void;
}

export interface CliExit {
  /** Null when a signal ended it. */
  code: number | null;
  stderr: string;
}

/**
 * Runs the user's own `pulumi` in the project's folder. Our Node.js comes first on its PATH, because the
 * program is TypeScript that only a recent one runs as it is. Asked to end meanwhile, it has Pulumi finish what is under
 * way, and answers when that has ended.
 *
 * @throws GatehouseError `pulumi_cli_missing` when there is none on PATH
 */
export async function runPulumi({ args, directory, env, onLine }: CliRun): Promise<CliExit> {
  const path = [join(directory, 'node_modules', '.bin'), env['PATH']].filter(Boolean).join(delimiter);
  const child = spawn('pulumi', args, {
    cwd: directory,
    env: { ...env, PATH: path, PULUMI_SKIP_UPDATE_CHECK: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  createInterface({ input: child.stdout }).on('line', onLine);
  // Ctrl-C at a terminal is sent to Pulumi, too; this is sent to one process alone.
  const stop = () => child.kill('SIGINT');
  process.once('SIGTERM', stop);
  try {
    const [code] = await ended;
    return { code: typeof code === 'number' ? code : null, stderr: stderr.trim() };
  } catch (cause) {
    if (!isSystemError(cause, 'ENOENT')) throw cause;
    throw new GatehouseError({
      code: 'pulumi_cli_missing',
      what: 'The Pulumi CLI cannot be started: there is no `pulumi` on PATH.',
      fix: 'Install it (https://www.pulumi.com/docs/install/), or use the local engine: --engine local.',
      cause,
    });
  } finally {
    process.off('SIGTERM', stop);
  }
}

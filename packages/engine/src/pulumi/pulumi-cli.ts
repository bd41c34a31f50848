import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentRequest } from '../engine.ts';
import type { Stack } from '../stack.ts';

type CliRequest = Omit<DeploymentRequest, 'stack'> & { stack: Pick<Stack, 'name'> };

/** How the CLI is called for a deployment. */
export function cliArguments(request: CliRequest): string[] {
  const { verb, dryRun, stack, refresh, targets, excludes = [], parallel, continueOnError } = request;
  const packs = verb === 'preview' || verb === 'up' ? (request.policyPacks ?? []) : [];
  const applied = ['--yes', '--skip-preview'];
  const command = {
    preview: ['preview'],
    up: dryRun ? ['preview'] : ['up', ...applied],
    refresh: ['refresh', ...(dryRun ? ['--preview-only'] : applied)],
    destroy: ['destroy', ...(dryRun ? ['--preview-only'] : applied)],
  }[verb];
  return [
    ...command,
    ...onStack(stack),
    '--json',
    ...(refresh && (verb === 'preview' || verb === 'up') ? ['--refresh'] : []),
    ...targets.flatMap((urn) => ['--target', urn]),
    ...excludes.flatMap((urn) => ['--exclude', urn]),
    ...packs.flatMap(({ folder }) => ['--policy-pack', folder]),
    ...packs.flatMap(({ config }) => (config === undefined ? [] : ['--policy-pack-config', config])),
    ...(parallel === undefined ? [] : ['--parallel', String(parallel)]),
    ...(continueOnError && !dryRun && (verb === 'up' || verb === 'destroy') ? ['--continue-on-error'] : []),
  ];
}

/** The options of every command on a stack. */
export function onStack(stack: Pick<Stack, 'name'>): string[] {
  return ['--stack', stack.name, '--non-interactive', '--color', 'never'];
}

interface CliRun {
  args: string[];
  directory: string;
  env: NodeJS.ProcessEnv;
  onLine: (line: string) => void;
  /** Ends the CLI, first by SIGINT and after ten seconds by SIGKILL. */
  signal?: AbortSignal;
}

export interface CliResult {
  /** The exit status; undefined if a signal ended the CLI. */
  code: number | undefined;
  stderr: string;
  canceled?: true;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Sends a signal to a process and all that it started, as a terminal does. They may have ended. */
function killGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Runs the user's `pulumi` in the project's folder, in a process group of its own. Our Node.js comes first on its PATH,
 * because the program is TypeScript. On Ctrl-C, SIGTERM and SIGHUP, Pulumi finishes what is in progress, and on a second
 * Ctrl-C it ends.
 *
 * @throws GatehouseError `pulumi_cli_missing`
 */
export async function runPulumi(run: CliRun): Promise<CliResult> {
  const { args, directory, env, onLine, signal } = run;
  const path = [join(directory, 'node_modules', '.bin'), env['PATH']].filter(Boolean).join(delimiter);
  const child = spawn('pulumi', args, {
    cwd: directory,
    env: { ...env, PATH: path, PULUMI_SKIP_UPDATE_CHECK: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'close');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  createInterface({ input: child.stdout }).on('line', onLine);
  // `pulumi` may be a script that runs the CLI, which would go on without it.
  const kill = (signal: NodeJS.Signals) => child.pid !== undefined && killGroup(child.pid, signal);
  let canceled: true | undefined;
  const onSignal = () => {
    canceled = true;
    kill('SIGINT');
  };
  for (const signal of signals) process.on(signal, onSignal);
  let last: NodeJS.Timeout | undefined;
  signal?.addEventListener('abort', () => {
    kill('SIGINT');
    last = setTimeout(() => kill('SIGKILL'), 10_000);
  });
  try {
    const [code] = await ended;
    return { code: code ?? undefined, stderr: stderr.trim(), canceled };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new GatehouseError('pulumi_cli_missing', { cause });
  } finally {
    clearTimeout(last);
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** The oldest CLI that this engine was tried with. */
export const oldestCli = '3.260.0';

/** @throws GatehouseError `pulumi_cli_missing`, `pulumi_cli_failed`, `pulumi_cli_too_old` */
export async function requireVersion(
  { directory }: Pick<Stack, 'directory'>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const lines: string[] = [];
  const args = ['version'];
  const { code, stderr } = await runPulumi({ args, directory, env, onLine: (line) => lines.push(line) });
  if (code !== 0) throw pulumiFailed(args, stderr || `it ended with ${code ?? 'a signal'}`);
  const version = /^v?(\d+)\.(\d+)\.(\d+)/.exec(lines.join('\n'));
  // A build of one's own may have no version.
  if (version === null) return;
  const [major = 0, minor = 0] = oldestCli.split('.').map(Number);
  const [, ofCli, minorOfCli] = version.map(Number);
  if (Number(ofCli) > major || (ofCli === major && Number(minorOfCli) >= minor)) return;
  throw new GatehouseError('pulumi_cli_too_old', { given: version[0], allowed: `${oldestCli} or newer` });
}

/**
 * What a command of the CLI about a stack prints.
 *
 * @throws GatehouseError `pulumi_cli_missing`; `pulumi_cli_failed` with the words of the CLI
 */
export async function askPulumi(
  stack: Pick<Stack, 'name' | 'directory'>,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const lines: string[] = [];
  const { code, stderr } = await runPulumi({
    args: [...args, ...onStack(stack)],
    directory: stack.directory,
    env,
    onLine: (line) => lines.push(line),
  });
  if (code === 0) return lines.join('\n');
  throw pulumiFailed(args, stderr || `it ended with ${code ?? 'a signal'}`);
}

export function pulumiFailed(args: string[], why: string): GatehouseError {
  return new GatehouseError('pulumi_cli_failed', { values: { args: args.join(' '), reason: why } });
}

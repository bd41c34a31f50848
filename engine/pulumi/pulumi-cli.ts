import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { GatehouseError } from '../../core/model/values/errors.ts';
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

/** What every command on a stack is given. */
export function onStack(stack: Pick<Stack, 'name'>): string[] {
  return ['--stack', stack.name, '--non-interactive', '--color', 'never'];
}

interface CliRun {
  args: string[];
  directory: string;
  env: NodeJS.ProcessEnv;
  onLine: (line: string) => void;
  /** Ends it, first by SIGINT and after ten seconds by SIGKILL. */
  signal?: AbortSignal;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs the user's `pulumi` in the project's folder. Our Node.js comes first on its PATH, because the program is
 * TypeScript. On Ctrl-C and SIGTERM, Pulumi finishes what is in progress, and on a second Ctrl-C it ends.
 *
 * @returns `code`: undefined if a signal ended it
 * @throws GatehouseError `pulumi_cli_missing`
 */
export async function runPulumi(
  run: CliRun,
): Promise<{ code: number | undefined; stderr: string; canceled?: true }> {
  const { args, directory, env, onLine, signal } = run;
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
  const stop = () => child.kill('SIGINT');
  let canceled: true | undefined;
  // A terminal sends Ctrl-C to Pulumi, too; any other signal reaches this process only, which waits for Pulumi's end.
  const onSignal = (signal: NodeJS.Signals) => {
    canceled = true;
    if (signal === 'SIGTERM' || process.stdin.isTTY !== true) stop();
  };
  for (const signal of signals) process.on(signal, onSignal);
  let last: NodeJS.Timeout | undefined;
  signal?.addEventListener('abort', () => {
    stop();
    last = setTimeout(() => child.kill('SIGKILL'), 10_000);
  });
  try {
    const [code] = await ended;
    return { code: code ?? undefined, stderr: stderr.trim(), canceled };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new GatehouseError({
      code: 'pulumi_cli_missing',
      what: 'The Pulumi CLI cannot be started: there is no `pulumi` on PATH.',
      fix: 'Install it (https://www.pulumi.com/docs/install/), or use the local engine: --engine local.',
      cause,
    });
  } finally {
    clearTimeout(last);
    for (const signal of signals) process.off(signal, onSignal);
  }
}

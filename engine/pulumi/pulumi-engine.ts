import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { DeploymentRequest, DeploymentResult, Engine } from '../engine.ts';
import type { ServedPlugin } from '../plugins/serve.ts';
import type { Stack } from '../stack.ts';
import { EventRecord, parseEngineEvent } from './event-record.ts';

export interface PulumiEngineOptions {
  /** For the CLI: its login, passphrase and tokens. Defaults to this process's. */
  env?: NodeJS.ProcessEnv;
  /** Serves our vault plugin for one run; the CLI uses it instead of the official one. */
  attachEmbeddedPlugin?: () => Promise<ServedPlugin>;
  /**
   * In milliseconds: how long the CLI may do nothing after a failure with `continueOnError` before it is stopped. It
   * waits for ever for a resource whose deletion before its replacement failed (pulumi/pulumi#16373). Defaults to a
   * minute.
   */
  patience?: number;
}

/** Applies a stack's program with the user's Pulumi CLI and its backend, state and plugins. */
export class PulumiEngine implements Engine {
  readonly #env: NodeJS.ProcessEnv;
  readonly #attachEmbeddedPlugin: PulumiEngineOptions['attachEmbeddedPlugin'];
  readonly #patience: number;

  constructor({ env = process.env, attachEmbeddedPlugin, patience = 60_000 }: PulumiEngineOptions = {}) {
    this.#env = env;
    this.#attachEmbeddedPlugin = attachEmbeddedPlugin;
    this.#patience = patience;
  }

  /**
   * A failed run has `succeeded: false` and diagnostics.
   *
   * @throws GatehouseError `pulumi_cli_missing`, `option_conflict`
   */
  async run(request: DeploymentRequest): Promise<DeploymentResult> {
    const { stack, imports, onEvent = () => {} } = request;
    if (imports !== undefined) {
      throw new GatehouseError({
        code: 'option_conflict',
        what: '--import is for the local engine',
        fix: 'With Pulumi: pulumi import --file FILE --protect=false --generate-code=false.',
      });
    }
    const started = performance.now();
    const record = new EventRecord(onEvent);
    const plugin = await this.#attachEmbeddedPlugin?.();
    const stuck = new AbortController();
    let waiting: NodeJS.Timeout | undefined;
    try {
      const { code, stderr, canceled } = await runPulumi({
        args: cliArguments(request),
        directory: stack.directory,
        env: {
          ...this.#env,
          ...(plugin && { PULUMI_DEBUG_PROVIDERS: attached(plugin, this.#env) }),
          // Unlike other commands, a preview with --json does not stream events by default.
          PULUMI_ENABLE_STREAMING_JSON_PREVIEW: 'true',
        },
        onLine: (line) => {
          const event = parseEngineEvent(line);
          if (event) record.add(event);
          else record.diagnose({ severity: 'info', message: line.trim() });
          clearTimeout(waiting);
          if (!request.continueOnError || !record.waitsAfterFailure) return;
          waiting = setTimeout(() => stuck.abort(), this.#patience);
        },
        signal: stuck.signal,
      });
      if (stuck.signal.aborted) {
        const { code, message } = stuckError();
        record.diagnose({ severity: 'error', code, message });
      }
      const succeeded = code === 0;
      if (!succeeded && !record.hasErrors) {
        // It failed before streaming: not logged in, no such stack, no passphrase.
        record.diagnose({ severity: 'error', message: stderr || `pulumi ended with ${code ?? 'a signal'}` });
      }
      const result = record.result(succeeded, performance.now() - started);
      return canceled && !succeeded ? { ...result, canceled } : result;
    } finally {
      clearTimeout(waiting);
      await plugin?.close();
    }
  }

  /** What `pulumi stack export` prints. @throws GatehouseError `pulumi_cli_missing`, `pulumi_cli_failed` */
  async exportState(stack: Stack): Promise<unknown> {
    const lines: string[] = [];
    const { code, stderr } = await runPulumi({
      args: ['stack', 'export', ...common(stack)],
      directory: stack.directory,
      env: this.#env,
      onLine: (line) => lines.push(line),
    });
    if (code !== 0) {
      throw new GatehouseError({
        code: 'pulumi_cli_failed',
        what: `\`pulumi stack export\` failed: ${stderr || `it ended with ${code ?? 'a signal'}`}`,
        fix: 'Fix what it says; `pulumi stack ls` shows the stacks that it knows.',
      });
    }
    return JSON.parse(lines.join('\n'));
  }
}

function stuckError(): GatehouseError {
  return new GatehouseError({
    code: 'pulumi_cli_stuck',
    what: 'the Pulumi CLI did nothing more after a failure, and was stopped',
    fix: 'Fix the failure and run the command again. If the stack is locked, `pulumi cancel` unlocks it.',
  });
}

function cliArguments(request: DeploymentRequest): string[] {
  const { verb, dryRun, stack, refresh, targets, excludes = [], parallel, continueOnError } = request;
  const applied = ['--yes', '--skip-preview'];
  const command = {
    preview: ['preview'],
    up: dryRun ? ['preview'] : ['up', ...applied],
    refresh: ['refresh', ...(dryRun ? ['--preview-only'] : applied)],
    destroy: ['destroy', ...(dryRun ? ['--preview-only'] : applied)],
  }[verb];
  return [
    ...command,
    ...common(stack),
    '--json',
    ...(refresh && (verb === 'preview' || verb === 'up') ? ['--refresh'] : []),
    ...targets.flatMap((urn) => ['--target', urn]),
    ...excludes.flatMap((urn) => ['--exclude', urn]),
    ...(parallel === undefined ? [] : ['--parallel', String(parallel)]),
    ...(continueOnError && !dryRun && (verb === 'up' || verb === 'destroy') ? ['--continue-on-error'] : []),
  ];
}

function common(stack: Stack): string[] {
  return ['--stack', stack.name, '--non-interactive', '--color', 'never'];
}

function attached(plugin: ServedPlugin, env: NodeJS.ProcessEnv): string {
  return [env['PULUMI_DEBUG_PROVIDERS'], `vault:${plugin.port}`].filter(Boolean).join(',');
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
async function runPulumi(
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

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
}

/** Applies a stack's program with the user's Pulumi CLI and its backend, state and plugins. */
export class PulumiEngine implements Engine {
  readonly #env: NodeJS.ProcessEnv;
  readonly #attachEmbeddedPlugin: PulumiEngineOptions['attachEmbeddedPlugin'];

  constructor({ env = process.env, attachEmbeddedPlugin }: PulumiEngineOptions = {}) {
    this.#env = env;
    this.#attachEmbeddedPlugin = attachEmbeddedPlugin;
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
    try {
      const { code, stderr } = await runPulumi({
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
        },
      });
      const succeeded = code === 0;
      if (!succeeded && !record.hasErrors) {
        // It failed before streaming: not logged in, no such stack, no passphrase.
        record.diagnose({ severity: 'error', message: stderr || `pulumi ended with ${code ?? 'a signal'}` });
      }
      return record.result(succeeded, performance.now() - started);
    } finally {
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

function cliArguments({ verb, dryRun, stack, refresh, targets, parallel }: DeploymentRequest): string[] {
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
    ...(parallel === undefined ? [] : ['--parallel', String(parallel)]),
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
}

/**
 * Runs the user's `pulumi` in the project's folder. Our Node.js comes first on its PATH, because the program is
 * TypeScript. On SIGTERM, Pulumi finishes what is in progress.
 *
 * @returns `code`: undefined if a signal ended it
 * @throws GatehouseError `pulumi_cli_missing`
 */
async function runPulumi(run: CliRun): Promise<{ code: number | undefined; stderr: string }> {
  const { args, directory, env, onLine } = run;
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
  // The terminal sends Ctrl-C to Pulumi too, but SIGTERM reaches this process only.
  const stop = () => child.kill('SIGINT');
  process.once('SIGTERM', stop);
  try {
    const [code] = await ended;
    return { code: code ?? undefined, stderr: stderr.trim() };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
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

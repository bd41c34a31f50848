import { GatehouseError } from '../../core/model/values/errors.ts';
import type { DeploymentRequest, DeploymentResult, Engine } from '../engine.ts';
import type { ServedPlugin } from '../plugins/serve.ts';
import type { Stack } from '../stack.ts';
import { EventRecord, parseEngineEvent } from './event-record.ts';
import { cliArguments, onStack, runPulumi } from './pulumi-cli.ts';

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
        const { code, message } = new GatehouseError({
          code: 'pulumi_cli_stuck',
          what: 'the Pulumi CLI did nothing more after a failure, and was stopped',
          fix: 'Fix the failure and run the command again. If the stack is locked, `pulumi cancel` unlocks it.',
        });
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
      args: ['stack', 'export', ...onStack(stack)],
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

function attached(plugin: ServedPlugin, env: NodeJS.ProcessEnv): string {
  return [env['PULUMI_DEBUG_PROVIDERS'], `vault:${plugin.port}`].filter(Boolean).join(',');
}

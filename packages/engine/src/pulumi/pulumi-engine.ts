import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentRequest, DeploymentResult, Engine } from '../engine.ts';
import type { ServedPlugin } from '../plugins/serve.ts';
import type { Stack } from '../stack.ts';
import { type Binding, hasUpdatePlans, withBinding } from './binding.ts';
import { EventRecord, parseEngineEvent } from './event-record.ts';
import { askPulumi, cliArguments, requireVersion, runPulumi } from './pulumi-cli.ts';
import { reworded } from './reworded.ts';
import { StepAlarm } from './step-alarm.ts';

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
  #hasPlans: Promise<boolean> | undefined;
  #isNewEnough: Promise<void> | undefined;

  constructor(options: PulumiEngineOptions = {}) {
    const { env = process.env, attachEmbeddedPlugin, patience = 60_000 } = options;
    this.#env = env;
    this.#attachEmbeddedPlugin = attachEmbeddedPlugin;
    this.#patience = patience;
  }

  /**
   * A failed run has `succeeded: false` and diagnostics.
   *
   * @throws GatehouseError `pulumi_cli_missing`, `pulumi_cli_too_old`, `option_conflict`, and what `withBinding` throws
   */
  async run(request: DeploymentRequest): Promise<DeploymentResult> {
    if (request.imports !== undefined) {
      throw new GatehouseError('option_conflict.import');
    }
    this.#isNewEnough ??= requireVersion(request.stack, this.#env);
    await this.#isNewEnough;
    const hasPlans = () => {
      this.#hasPlans ??= hasUpdatePlans(request.stack, this.#env);
      return this.#hasPlans;
    };
    const result = await withBinding(request, hasPlans, async (binding) =>
      binding.end(await this.#runBound(request, binding)),
    );
    return this.#attachEmbeddedPlugin === undefined ? { ...result, byOfficialPlugin: true } : result;
  }

  async #runBound(request: DeploymentRequest, { args, env }: Binding): Promise<DeploymentResult> {
    const { stack, reviewed, onEvent = () => {} } = request;
    const started = performance.now();
    const alarm = reviewed && new StepAlarm(reviewed.steps);
    const foreign = new AbortController();
    const record = new EventRecord((event) => {
      if (alarm?.see(event)) foreign.abort();
      onEvent(event);
    }, reworded);
    const plugin = await this.#attachEmbeddedPlugin?.();
    const stuck = new AbortController();
    let waiting: NodeJS.Timeout | undefined;
    let isUnreadable = false;
    try {
      const { code, stderr, canceled } = await runPulumi({
        args: [...cliArguments(request), ...args],
        directory: stack.directory,
        env: {
          ...this.#env,
          ...env,
          ...(plugin && { PULUMI_DEBUG_PROVIDERS: attached(plugin, this.#env) }),
          // Unlike other commands, a preview with --json does not stream events by default.
          PULUMI_ENABLE_STREAMING_JSON_PREVIEW: 'true',
        },
        onLine: (line) => {
          try {
            const event = parseEngineEvent(line);
            if (event) record.add(event);
            else record.diagnose({ severity: 'info', message: line.trim() });
          } catch (error) {
            // Whatever it tells of cannot be held against the review.
            isUnreadable = true;
            foreign.abort();
            const { message, code } = error as Partial<GatehouseError> & Error;
            record.diagnose({ severity: 'error', message, code });
          }
          clearTimeout(waiting);
          if (!request.continueOnError || !record.waitsAfterFailure) return;
          waiting = setTimeout(() => stuck.abort(), this.#patience);
        },
        signal: AbortSignal.any([stuck.signal, foreign.signal]),
      });
      if (stuck.signal.aborted) {
        const { code, message } = new GatehouseError('pulumi_cli_stuck');
        record.diagnose({ severity: 'error', code, message });
      }
      const alarms = alarm?.diagnostics(code === 0) ?? [];
      for (const diagnostic of alarms) record.diagnose(diagnostic);
      const succeeded = code === 0 && alarms.length === 0 && !isUnreadable;
      const isCanceled = canceled === true && !succeeded;
      if (isCanceled) {
        const { code, message } = new GatehouseError('deployment_cancelled');
        record.diagnose({ severity: 'error', code, message });
      } else if (!succeeded && !record.hasErrors) {
        // It failed before streaming: not logged in, no such stack, no passphrase.
        record.diagnose({ severity: 'error', message: stderr || `pulumi ended with ${code ?? 'a signal'}` });
      }
      const durationMs = performance.now() - started;
      return isCanceled
        ? { ...record.canceledResult(durationMs), canceled: true }
        : record.result(succeeded, durationMs);
    } finally {
      clearTimeout(waiting);
      await plugin?.close();
    }
  }

  /** What `pulumi stack export` prints. @throws GatehouseError `pulumi_cli_missing`, `pulumi_cli_failed` */
  async exportState(stack: Stack): Promise<unknown> {
    return JSON.parse(await askPulumi(stack, ['stack', 'export'], this.#env));
  }
}

function attached(plugin: ServedPlugin, env: NodeJS.ProcessEnv): string {
  return [env['PULUMI_DEBUG_PROVIDERS'], `vault:${plugin.port}`].filter(Boolean).join(',');
}

import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentRequest, DeploymentResult, Engine } from '../engine.ts';
import type { ServedPlugin } from '../plugins/serve.ts';
import type { Stack } from '../stack.ts';
import { type Binding, hasUpdatePlans, withBinding } from './binding.ts';
import { askPulumi, cliArguments, requireVersion, runPulumi } from './pulumi-cli.ts';
import { WatchedRun } from './watched-run.ts';

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
    const { stack } = request;
    const watched = new WatchedRun(request, this.#patience);
    const plugin = await this.#attachEmbeddedPlugin?.();
    try {
      const ended = await runPulumi({
        args: [...cliArguments(request), ...args],
        directory: stack.directory,
        env: {
          ...this.#env,
          ...env,
          ...(plugin && { PULUMI_DEBUG_PROVIDERS: attached(plugin, this.#env) }),
          // Unlike other commands, a preview with --json does not stream events by default.
          PULUMI_ENABLE_STREAMING_JSON_PREVIEW: 'true',
        },
        onLine: (line) => watched.readLine(line),
        signal: watched.signal,
      });
      return watched.result(ended);
    } finally {
      watched.stopWaiting();
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

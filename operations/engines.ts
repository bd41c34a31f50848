import { createRequire } from 'node:module';
import { GatehouseError } from '../core/model/values/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { ServedPlugin } from '../engine/plugins/serve.ts';
import type { Stack } from '../engine/stack.ts';
import { chooseEngine, EngineKind, isPulumiInstalled } from './engine-choice.ts';

export interface EngineRequest {
  /** `--engine`; absent when the choice is left to us. */
  engine?: EngineKind;
  /** `--plugin`: attach this project's own vault plugin to the Pulumi CLI. */
  plugin?: 'embedded';
  /** Keep what helps to find an error in the program: its stack traces and debug messages. */
  verbose?: boolean;
}

export interface OpenedEngine {
  engine: Engine;
  warning?: string;
}

export type OpenEngine = (
  request: EngineRequest,
  stack: Stack,
  env: NodeJS.ProcessEnv,
) => Promise<OpenedEngine>;

/**
 * Chooses and builds the engine that applies a stack: the one place that knows both.
 *
 * @throws GatehouseError `option_conflict`, `pulumi_not_found`
 */
export const openEngine: OpenEngine = async (request, stack, env) => {
  // Asked to say more, the program keeps the stack traces that it else does without (stacks/lean-sdk.ts).
  const programEnv = request.verbose === true ? { ...env, GATEHOUSE_TRACES: '1' } : env;
  const { kind, warning } = chooseEngine(request.engine, stack, env, isPulumiInstalled(env));
  if (request.plugin !== undefined && kind !== EngineKind.pulumi) {
    throw new GatehouseError({
      code: 'option_conflict',
      what: '--plugin is for --engine pulumi; the local engine always uses its own plugin',
    });
  }
  const engine =
    kind === EngineKind.pulumi
      ? await pulumiEngine(request, programEnv)
      : await localEngine(request, programEnv);
  return { engine, ...(warning === undefined ? {} : { warning }) };
};

// Loaded when used: each brings gRPC and the SDK along, which takes a second.
async function localEngine({ verbose }: EngineRequest, env: NodeJS.ProcessEnv): Promise<Engine> {
  const { LocalEngine } = await import('../engine/local/local-engine.ts');
  return new LocalEngine({ env, verbose: verbose === true });
}

async function pulumiEngine({ plugin }: EngineRequest, env: NodeJS.ProcessEnv): Promise<Engine> {
  const { PulumiEngine } = await import('../engine/pulumi/pulumi-engine.ts');
  return new PulumiEngine({
    env,
    ...(plugin === 'embedded' ? { attachEmbeddedPlugin: () => serveVault(env) } : {}),
  });
}

async function serveVault(env: NodeJS.ProcessEnv): Promise<ServedPlugin> {
  const [{ servePlugin }, { VaultPlugin }] = await Promise.all([
    import('../engine/plugins/serve.ts'),
    import('../engine/plugins/vault/vault-plugin.ts'),
  ]);
  return servePlugin(new VaultPlugin(env), 'vault', vaultPackageVersion());
}

/** The version of the package that the program uses: the plugin stands in for the official one of that version. */
function vaultPackageVersion(): string {
  return createRequire(import.meta.url)('@pulumi/vault/package.json').version;
}

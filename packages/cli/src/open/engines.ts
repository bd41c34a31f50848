import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { GatehouseError, isLoopback, objectIn } from '@gatehouse/core/values';
import type { Engine, Stack } from '@gatehouse/engine';
import type { Contained } from '@gatehouse/engine/local';

interface EngineRequest {
  /** `--engine`. Defaults to what `chooseEngine` chooses. */
  engine?: 'local' | 'pulumi';
  /** `--plugin`: attach this project's own vault plugin to the Pulumi CLI. */
  plugin?: 'embedded';
  /** Keep the program's stack traces and debug messages. */
  verbose?: boolean;
  /** The program is not trusted. The Pulumi CLI runs it itself, so there it is not kept apart. */
  contained?: Contained;
  /** The engine only previews, for a person: a plan that changes nothing is kept for the next time. Defaults to false. */
  previews?: boolean;
}

export type OpenEngine = (
  request: EngineRequest,
  stack: Stack,
  env: NodeJS.ProcessEnv,
) => Promise<{ engine: Engine; warning?: string }>;

/**
 * Chooses and creates the engine for a stack.
 *
 * @throws GatehouseError `option_conflict`, `pulumi_not_found`
 */
export const openEngine: OpenEngine = async (request, stack, env) => {
  const { engine: chosen, plugin, verbose = false, contained, previews = false } = request;
  // Only this variable makes the program keep its stack traces (stacks/lean-sdk.ts).
  const programEnv = verbose ? { ...env, GATEHOUSE_TRACES: '1' } : env;
  const { kind, warning } = chooseEngine(chosen, stack, env, isPulumiInstalled(env));
  // Each engine loads gRPC and the SDK, which takes a second.
  if (kind === 'local') {
    if (plugin !== undefined) throw new GatehouseError('option_conflict.plugin');
    const openLocal = async () => {
      const { LocalEngine } = await import('@gatehouse/engine/local');
      return new LocalEngine({ env: programEnv, verbose, contained });
    };
    if (!previews || verbose) return { engine: await openLocal(), warning };
    const { PreviewEngine } = await import('./kept-plan.ts');
    return { engine: new PreviewEngine(programEnv, openLocal), warning };
  }
  const { PulumiEngine } = await import('@gatehouse/engine/pulumi');
  const attachEmbeddedPlugin = plugin === undefined ? undefined : () => serveVault(programEnv);
  return { engine: new PulumiEngine({ env: programEnv, attachEmbeddedPlugin }), warning };
};

async function serveVault(env: NodeJS.ProcessEnv) {
  const [{ servePlugin }, { VaultPlugin }] = await Promise.all([
    import('@gatehouse/engine/plugins'),
    import('@gatehouse/engine/vault-plugin'),
  ]);
  // The plugin replaces the official one of the version that the program uses.
  const { version } = createRequire(import.meta.url)('@pulumi/vault/package.json');
  return servePlugin(() => new VaultPlugin(env), 'vault', version);
}

/**
 * Chooses the engine. By default, a service on this machine gets the local engine, and any other the Pulumi CLI, which
 * shares its state with a team.
 *
 * @param env `GATEHOUSE_SERVICE_ADDRESS` overrides the address in the configuration
 * @param pulumiInstalled whether the CLI is on PATH
 * @returns a warning about a choice that the person did not make
 * @throws GatehouseError `pulumi_not_found`
 */
export function chooseEngine(
  chosen: EngineRequest['engine'],
  stack: Stack,
  env: NodeJS.ProcessEnv,
  pulumiInstalled: boolean,
): { kind: NonNullable<EngineRequest['engine']>; warning?: string } {
  if (chosen === 'pulumi' && !pulumiInstalled) {
    throw new GatehouseError('pulumi_not_found');
  }
  if (chosen !== undefined) return { kind: chosen };
  const address = serviceAddress(stack, env);
  if (address === undefined || isLoopback(new URL(address))) return { kind: 'local' };
  if (pulumiInstalled) return { kind: 'pulumi' };
  return {
    kind: 'local',
    warning:
      `The local engine is used, because the Pulumi CLI is not on PATH. Its state is only on this machine; the service of ` +
      `stack ${stack.name} is not (${address}). For a shared environment, use --engine pulumi.`,
  };
}

export function isPulumiInstalled(env: NodeJS.ProcessEnv): boolean {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .some((folder) => {
      try {
        accessSync(join(folder, 'pulumi'), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * The address of a stack's service: `GATEHOUSE_SERVICE_ADDRESS`, or that of the configuration.
 *
 * @returns undefined where it is not valid, which is reported elsewhere
 */
export function serviceAddress(stack: Stack, env: NodeJS.ProcessEnv): string | undefined {
  const declared = objectIn(stack.config.get('gatehouse:service')?.value ?? '')?.['address'];
  return URL.parse(env['GATEHOUSE_SERVICE_ADDRESS'] || String(declared))?.origin;
}

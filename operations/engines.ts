import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { GatehouseError } from '../core/model/values/errors.ts';
import { isLoopback } from '../core/rules/redirect-uri.ts';
import type { Engine } from '../engine/engine.ts';
import type { ServedPlugin } from '../engine/plugins/serve.ts';
import type { Stack } from '../engine/stack.ts';

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
  return { engine, warning };
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

/** Who applies a stack: this project's own engine, or the user's Pulumi CLI. */
export const EngineKind = { local: 'local', pulumi: 'pulumi' } as const;
export type EngineKind = (typeof EngineKind)[keyof typeof EngineKind];

export interface EngineChoice {
  kind: EngineKind;
  /** What the person should know about a choice they did not make. */
  warning?: string;
}

/**
 * Chooses the engine. What was asked for goes first. Otherwise a service on this machine gets the local
 * engine, and any other one the Pulumi CLI, because only that shares its state with a team.
 *
 * @param env `GATEHOUSE_SERVICE_ADDRESS` stands before the address in the configuration
 * @param pulumiInstalled whether the CLI is on PATH
 * @throws GatehouseError `pulumi_not_found`
 */
export function chooseEngine(
  asked: EngineKind | undefined,
  stack: Stack,
  env: NodeJS.ProcessEnv,
  pulumiInstalled: boolean,
): EngineChoice {
  if (asked === EngineKind.pulumi && !pulumiInstalled) {
    throw new GatehouseError({
      code: 'pulumi_not_found',
      what: 'The Pulumi CLI is not on PATH.',
      fix: 'Install it, or use --engine local.',
    });
  }
  if (asked !== undefined) return { kind: asked };
  const address = serviceAddress(stack, env);
  if (address === undefined || isLoopback(new URL(address))) return { kind: EngineKind.local };
  if (pulumiInstalled) return { kind: EngineKind.pulumi };
  return {
    kind: EngineKind.local,
    warning:
      `The service of stack ${stack.name} is not on this machine (${address}), and the Pulumi CLI is not on PATH: ` +
      'the local engine is used, whose state only this machine has. A shared environment wants --engine pulumi.',
  };
}

/** Whether `pulumi` can be started. */
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

/** Where the service is; undefined when that is not to be had from the configuration (which others complain of). */
function serviceAddress(stack: Stack, env: NodeJS.ProcessEnv): string | undefined {
  try {
    const { address } = JSON.parse(stack.config.get('gatehouse:service')?.value ?? '{}');
    return new URL(env['GATEHOUSE_SERVICE_ADDRESS'] || address).origin;
  } catch {
    return undefined;
  }
}

import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';
import { delimiter, join } from 'node:path';
import { GatehouseError } from '../core/model/values/errors.ts';
import type { Stack } from '../engine/stack.ts';

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
      what: 'the Pulumi CLI is not on PATH',
      fix: 'Install it, or use --engine local.',
    });
  }
  if (asked !== undefined) return { kind: asked };
  const address = serviceAddress(stack, env);
  if (address === undefined || isLoopback(address)) return { kind: EngineKind.local };
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

function isLoopback(address: string): boolean {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

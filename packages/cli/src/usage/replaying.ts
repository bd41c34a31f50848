import { resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import type { ReplayOptions } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ReplayRequest } from './replay-plan.ts';

/**
 * @param stack whose service has the audit device
 * @param env with the token for it
 * @throws GatehouseError `option_conflict`
 */
export async function replayRequest(
  { replay: logs, showPeople = false, hashWith: device }: ReplayOptions,
  stack: Stack | undefined,
  { cwd, stdin }: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<ReplayRequest | undefined> {
  if (logs === undefined) {
    if (!showPeople && device === undefined) return undefined;
    throw new GatehouseError('option_conflict.without_replay');
  }
  if (device !== undefined && stack === undefined) {
    throw new GatehouseError('option_conflict.hash_with');
  }
  const files = logs.map((file) => (file === '-' ? file : resolve(cwd, file)));
  const hash = device === undefined || stack === undefined ? undefined : await hashOf(device, stack, env);
  return { logs: files, stdin, people: showPeople, hash };
}

async function hashOf(device: string, stack: Stack, env: NodeJS.ProcessEnv): Promise<ReplayRequest['hash']> {
  const [{ auditHashes }, { requireEnvironment }] = await Promise.all([
    import('./audit-hash.ts'),
    import('../open/open-environment.ts'),
  ]);
  const { service } = requireEnvironment(stack, env);
  return (texts: ReadonlySet<string>) => auditHashes(device, service, env, texts);
}

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { ApprovedRequest } from '../../operations/deployment.ts';
import type { ReplayRequest } from '../../operations/usage/replay-plan.ts';
import type { Terminal } from '../rendering/terminal.ts';

type Stack = ApprovedRequest['stack'];

export interface ReplayOptions {
  replay?: string[];
  showPeople?: boolean;
  hashWith?: string;
}

/** What becomes of requests that an audit log has. */
export function withReplay(command: Command): Command {
  return command
    .option(
      '--replay <log>',
      'send the requests of this audit log again, by the change: who would be refused; repeatable',
      (file: string, before: string[] = []) => [...before, file],
    )
    .option('--show-people', 'with --replay: name people and paths')
    .option(
      '--hash-with <device>',
      'with --replay: compare parameters by what this audit device makes of a text; needs a token',
    );
}

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
    throw new GatehouseError({
      code: 'option_conflict',
      what: '--show-people and --hash-with are about --replay, which is not given',
      fix: 'Name an audit log with --replay.',
    });
  }
  if (device !== undefined && stack === undefined) {
    throw new GatehouseError({
      code: 'option_conflict',
      what: '--hash-with asks the service of a stack, and none is named',
      fix: 'Name the stack with --stack.',
    });
  }
  const files = logs.map((file) => (file === '-' ? file : resolve(cwd, file)));
  const hash = device === undefined || stack === undefined ? undefined : await hashOf(device, stack, env);
  return { logs: files, stdin, people: showPeople, hash };
}

async function hashOf(device: string, stack: Stack, env: NodeJS.ProcessEnv): Promise<ReplayRequest['hash']> {
  const [{ auditHashes }, { requireEnvironment }] = await Promise.all([
    import('../../operations/usage/audit-hash.ts'),
    import('../../operations/open-environment.ts'),
  ]);
  const { service } = requireEnvironment(stack, env);
  return (texts: ReadonlySet<string>) => auditHashes(device, service, env, texts);
}

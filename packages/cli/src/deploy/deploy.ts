import { isWaiting, type RunDecision, type RunView } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import { RunClient } from '@gatehouse/run-tasks/client';

/** Where `gatehouse serve` and `gatehouse dev` listen unless told otherwise. */
export const defaultPlatformAddress = 'http://127.0.0.1:8300';

interface PlatformAccess {
  /** Address of the platform. Defaults to `GATEHOUSE_PLATFORM_ADDRESS`, or `http://127.0.0.1:8300`. */
  address?: string;
  /** `VAULT_TOKEN` identifies who deploys or decides. */
  env: NodeJS.ProcessEnv;
}

interface DeployRequest extends PlatformAccess {
  stack: string;
  /** Why the stack is deployed, shown to people. */
  message: string;
  /** Plan only. */
  speculative: boolean;
  /** Also with files that are not committed. Defaults to no. */
  allowUncommitted?: boolean;
  /** Called with the run and the address of its page at first, and after every change. */
  onChange: (run: RunView, page: string) => void;
  /** Asks a person what to do with a run that waits; undefined leaves it waiting. Defaults to that. */
  onWait?: (run: RunView) => Promise<RunDecision | undefined>;
}

/**
 * Has a platform deploy a stack, and waits for the end, or until the run waits for a decision that no one makes here.
 *
 * @throws GatehouseError `token_missing`, and what `RunClient` throws
 */
export async function deployStack(request: DeployRequest): Promise<RunView> {
  const { stack, message, speculative, allowUncommitted, onChange, onWait } = request;
  const client = openRuns(request);
  let run = await client.create({ stack, message, speculative, allowUncommitted });
  const page = client.pageOf(run.id);
  onChange(run, page);
  for await (run of client.watch(run.id)) {
    onChange(run, page);
    if (!isWaiting(run.status)) continue;
    const decision = await onWait?.(run);
    if (decision === undefined) return run;
    await client.decide(run.id, decision).catch((error) => {
      // Someone else decided first: the next change of the run says how.
      if (!(error instanceof GatehouseError) || error.code !== 'run_not_waiting') throw error;
    });
  }
  return run;
}

/**
 * Reads a run of a platform, after a decision about it if one is given.
 *
 * @throws GatehouseError `token_missing`, and what `RunClient` throws
 */
export async function decideRun(
  id: string,
  decision: RunDecision | undefined,
  access: PlatformAccess,
): Promise<{ run: RunView; page: string }> {
  const client = openRuns(access);
  const run = decision === undefined ? await client.read(id) : await client.decide(id, decision);
  return { run, page: client.pageOf(run.id) };
}

/** @throws GatehouseError `token_missing`, `address_invalid` */
export function openRuns({ address, env }: PlatformAccess): RunClient {
  const token = env['VAULT_TOKEN'];
  if (!token) {
    throw new GatehouseError('token_missing.platform');
  }
  const platform = address || env['GATEHOUSE_PLATFORM_ADDRESS'] || defaultPlatformAddress;
  return new RunClient({ address: platform, token });
}

import { readFile } from 'node:fs/promises';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { integratorChecks } from '../../run-tasks/kit/integrator-checks.ts';
import { TestPlatform } from '../../run-tasks/kit/test-platform.ts';
import { keyVariable } from './endpoints.ts';

export interface RunTaskTestArgs {
  /** The integrator's. */
  url: string;
  /** What its run task is signed with. */
  key: string | undefined;
  /** Where the platform listens that the integrator calls back. */
  port: number;
  host: string;
  /** How the integrator reaches it. Defaults to where it listens. */
  address?: string;
  /** Milliseconds for a final result. */
  patienceMs: number;
  /** Milliseconds in which something that must not happen is waited for. Defaults to 2000. */
  quietMs?: number;
}

export interface CheckResult {
  name: string;
  verdict: 'right' | 'wrong' | 'skipped';
  /** What it did wrong, or why it was skipped. */
  details: string[];
}

/**
 * Plays a platform against an integrator, all checks at once, each with a task of its own.
 *
 * @throws GatehouseError `port_in_use`
 */
export async function testRunTask({
  url,
  key,
  port,
  host,
  address,
  patienceMs,
  quietMs = 2000,
}: RunTaskTestArgs): Promise<CheckResult[]> {
  const platform = await TestPlatform.open({ port, host, address });
  const bench = { platform, url, key, patienceMs, quietMs };
  try {
    return await Promise.all(
      integratorChecks.map(async ({ name, needsKey = false, run }): Promise<CheckResult> => {
        if (needsKey && key === undefined) return { name, verdict: 'skipped', details: ['no key is given'] };
        const details = await run(bench).catch((error: Error) => [unanswered(error)]);
        return { name, verdict: details.length === 0 ? 'right' : 'wrong', details: [...new Set(details)] };
      }),
    );
  } finally {
    await platform.close();
  }
}

function unanswered({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return 'did not answer';
  // Where a name has several addresses, the cause is a list without words of its own.
  const { message: why, code } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  return `cannot be asked: ${why || code || message}`;
}

// The command line reaches a service by way of the operations alone (docs/architecture.md); here there is nothing to add.
export {
  type SinkAnswer,
  type SinkEvent,
  startSink,
} from '../../run-tasks/kit/sink.ts';

/**
 * The key of a run task: of a file, or of GATEHOUSE_RUN_TASK_KEY. Never an option, which others could read.
 *
 * @throws GatehouseError `file_unreadable`
 */
export async function readRunTaskKey(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (file === undefined) return env[keyVariable] || undefined;
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '') || undefined;
  } catch (cause) {
    throw new GatehouseError({ code: 'file_unreadable', what: 'the key cannot be read', given: file, cause });
  }
}

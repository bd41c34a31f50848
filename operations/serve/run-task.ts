import { integratorChecks } from '../../run-tasks/kit/integrator-checks.ts';
import { checkPlatform } from '../../run-tasks/kit/platform-checks.ts';
import { openTestPlatform } from '../../run-tasks/kit/test-platform.ts';
import { readText } from '../read-text.ts';
import { keyVariable } from './endpoints.ts';

interface RunTaskTestArgs {
  /** Of the integrator. */
  url: string;
  /** Signs the requests. */
  key: string | undefined;
  /** Where the platform listens for callbacks. */
  port: number;
  host: string;
  /** How the integrator reaches the platform. Defaults to where it listens. */
  address?: string;
  /** Milliseconds for a final result. */
  patienceMs: number;
  /** Milliseconds to watch that something does not happen. Defaults to 2000. */
  quietMs?: number;
}

export interface CheckResult {
  name: string;
  verdict: 'right' | 'wrong' | 'skipped';
  /** What the other side did wrong, or why the check was skipped. */
  details: string[];
}

/**
 * Plays a platform against an integrator. All checks run at once, each with its own task.
 *
 * @throws GatehouseError `port_in_use`
 */
export async function testRunTask(args: RunTaskTestArgs): Promise<CheckResult[]> {
  const { key } = args;
  const platform = await openTestPlatform(args);
  const bench = { quietMs: 2000, ...args, platform };
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

/**
 * Plays a sloppy integrator against a platform, which must send it the request of a run task.
 *
 * @throws GatehouseError `port_in_use`
 */
export async function testPlatform(args: Parameters<typeof checkPlatform>[0]): Promise<CheckResult[]> {
  return (await checkPlatform(args)).map(({ name, details, skipped }): CheckResult => {
    if (skipped !== undefined) return { name, verdict: 'skipped', details: [skipped] };
    return { name, verdict: details.length === 0 ? 'right' : 'wrong', details };
  });
}

function unanswered({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return 'did not answer';
  // For a host name with several addresses, the cause is an AggregateError, which has no message.
  const { message: why, code } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  return `cannot be reached: ${why || code || message}`;
}

// For cli, which does not import run-tasks (docs/architecture.md).
export { type SinkAnswer, startSink } from '../../run-tasks/kit/sink.ts';

/**
 * The key of a run task, from a file or GATEHOUSE_RUN_TASK_KEY. Never from an option, which other users could read.
 *
 * @throws GatehouseError `file_unreadable`
 */
export async function readRunTaskKey(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (file === undefined) return env[keyVariable] || undefined;
  return (await readText(file, 'the key cannot be read')).replace(/\r?\n$/, '') || undefined;
}

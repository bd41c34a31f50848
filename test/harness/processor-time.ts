import { readFileSync } from 'node:fs';

/** Linux counts it in hundredths of a second. */
const perSecond = 100;

/**
 * Seconds of processor time of this process and of the processes that it has started and waited for; undefined where the system
 * does not tell.
 */
export function processorSeconds(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name of the program, in parentheses, may have spaces. Then come the state and others: proc_pid_stat(5).
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) / perSecond;
}

/**
 * Milliseconds of processor time that this process needs for a piece of work: what else runs on the machine does not count. For
 * limits far above what it needs, which a worse algorithm would miss by far. What must be fast is a bench.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

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

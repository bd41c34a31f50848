import type { Log } from './log.ts';

/**
 * Does work now, and again at each interval. A failure is logged, and the next interval tries again.
 *
 * @param trouble logged with a failure
 * @returns a function that stops the repetition; it settles once the work in progress is over
 */
export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  log: Log,
  trouble: string,
): () => Promise<void> {
  let working: Promise<void> = Promise.resolve();
  const once = () => {
    working = work().catch((err: Error) => log.error({ err }, trouble));
  };
  once();
  const timer = setInterval(once, everyMs).unref();
  return async () => {
    clearInterval(timer);
    await working;
  };
}

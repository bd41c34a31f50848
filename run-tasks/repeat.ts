/**
 * Does work now, and again after each pause. A failure is reported, and the next time tries again.
 *
 * @returns stops it; settles once the work in progress is over
 */
export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  onError: (error: Error) => void,
): () => Promise<void> {
  let working: Promise<void> = Promise.resolve();
  const once = () => {
    working = work().catch(onError);
  };
  once();
  const timer = setInterval(once, everyMs).unref();
  return async () => {
    clearInterval(timer);
    await working;
  };
}

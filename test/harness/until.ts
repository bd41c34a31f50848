import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something is true. Rejects if it never is; a busy machine takes its time. */
export async function until(isTrue: () => boolean | Promise<boolean>, patienceMs = 120_000): Promise<void> {
  for (let waited = 0; !(await isTrue()); waited += 20) {
    if (waited > patienceMs) throw new Error(`it did not come true in ${patienceMs} ms: ${isTrue}`);
    await sleep(20);
  }
}

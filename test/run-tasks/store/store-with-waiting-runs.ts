import { readFileSync } from 'node:fs';
import type { Database } from '../../../run-tasks/store/database.ts';

/** When its runs and deliveries came. */
export const madeAt = Date.UTC(2026, 11, 1, 12);

const dump = readFileSync(new URL('./store-with-waiting-runs.sql', import.meta.url), 'utf8');

/** What the store has, each run in a stack of its own but for the three of `confirming`. */
export const waiting = {
  confirming: 'run-084396336c5353bc5e4e05f0',
  behind: 'run-12a2c69b805c35787181e655',
  speculative: 'run-cf2d13cdd27c2588e3aeea9e',
  accepting: 'run-7166c9804ce86adc80194f29',
  /** Its request was accepted, and it was called back with `running`. */
  reviewing: 'run-2da7e0491ab1d4433cb09f67',
  /** Its request was answered with 500. */
  sending: 'run-1e314e1f32de85f7611c7747',
};

/** Of the task of `reviewing`. */
export const reviewingTask = {
  id: '2a93cad7-7f24-4585-b602-730d95358c56',
  token: 'BzALCm11fK4__9XnhfDdDN45Rw8Z5x9deQGeEgm8Lx0',
};

/** The deliveries that have not ended, by the id of their task. */
export const waitingDeliveries = {
  /** Its result was sent, and the answer lost. */
  reviewed: 'taskrs-c4496ea9aeadf06f',
  /** Its review was interrupted. */
  working: 'taskrs-4bee19a9a4bbecf4',
};

/** Fills an empty database with it. @param at where its integrator and its platform are now */
export async function restoreWaiting(
  database: Database,
  { integrator = 'http://integrator.invalid', platform = 'http://platform.invalid' } = {},
): Promise<void> {
  const text = dump
    .replaceAll('http://integrator.invalid', integrator)
    .replaceAll('http://platform.invalid', platform);
  for (const statement of text.split('\n--\n')) await database.query(statement);
  // Its jobs would be too old by now.
  await database.query("UPDATE pgboss.job SET keep_until = now() + interval '1 day', start_after = now()");
}

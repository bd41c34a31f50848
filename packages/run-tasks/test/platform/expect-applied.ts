import { expect } from '@jest/globals';
import { planDigest } from '../../../core/src/run-task/plan-digest.ts';
import type { DatabaseRow } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { readJournal } from './read-journal.ts';
import type { ReviewingIntegrator } from './reviewing-integrator.ts';

/**
 * What must be so once platforms, whatever befell them, have brought all runs to an end: each was applied, with one
 * final result of each task, and none without every mandatory pass on record.
 *
 * @param acknowledged stacks of which a run was said to be made
 */
export async function expectApplied({
  place,
  journal,
  integrator,
  acknowledged,
}: {
  place: { url?: string; home: string };
  journal: string;
  integrator: ReviewingIntegrator;
  acknowledged: string[];
}): Promise<void> {
  const database = await openDatabase(place.url, place.home);
  const runs = await database.query('SELECT * FROM runs');
  const tasks = await database.query('SELECT * FROM task_results');
  const decisions = await database.query('SELECT * FROM decisions');
  await database.close();
  expect(runs.map(({ stack }) => stack)).toEqual(expect.arrayContaining(acknowledged));
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['applied']));
  for (const { id, apply_started_at: startedAt, plan, plan_digest: digest } of runs) {
    // Confirmed once, for the very plan that was applied, and before.
    const own = decisions.filter(({ run }) => run === id);
    expect(own).toEqual([expect.objectContaining({ kind: 'confirmed', plan_digest: planDigest(plan) })]);
    expect([digest, Number(own[0]?.['decided_at']) <= Number(startedAt)]).toEqual([planDigest(plan), true]);
    expectTasks(
      tasks.filter(({ run }) => run === id),
      startedAt,
    );
  }
  for (const answers of integrator.finals.values()) {
    expect(answers.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
  }
  checkJournal(journal);
}

/** One final result of each stage, all of them before the plan was applied but for the last. */
function expectTasks(own: DatabaseRow[], startedAt: unknown): void {
  expect(own.map(({ stage }) => stage).sort()).toEqual(['post_apply', 'post_plan', 'pre_apply', 'pre_plan']);
  expect(own.every(({ status, ended_at: ended }) => status === 'passed' && ended !== null)).toBe(true);
  // What a callback with 200 said is there.
  expect(own.map(({ outcomes }) => (outcomes as unknown[]).length)).toEqual([1, 1, 1, 1]);
  const before = own
    .filter(({ stage }) => stage !== 'post_apply')
    .map(({ ended_at: ended }) => ended as Date);
  expect(Math.max(...before.map(Number))).toBeLessThanOrEqual(Number(startedAt));
}

/** No apply without three passes, and no second one of a stack that does not know that it is. */
function checkJournal(path: string): void {
  const started = new Set<string>();
  for (const { what, stack, passes, isResumed } of readJournal(path)) {
    if (what !== 'apply') continue;
    // One that was killed right after it was recorded as begun has left no line here.
    expect([stack, passes, isResumed || !started.has(stack)]).toEqual([stack, 3, true]);
    started.add(stack);
  }
}

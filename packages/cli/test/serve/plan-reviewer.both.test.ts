import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { type PlanToReview, reviewPlanned } from '../../src/serve/plan-review.ts';
import { PlanReviewer, type PlanReviewerLimits } from '../../src/serve/plan-reviewer.ts';

const sample = readFileSync(join(root, 'examples/plans/terraform-plan.json'));
const asked = (plan: Uint8Array = sample): PlanToReview => ({ plan, options: { now: 0n }, failOn: 'error' });
const never = new AbortController().signal;

let reviewer: PlanReviewer;
afterEach(() => reviewer.close());
const withProgram = (name: string, limits: Partial<PlanReviewerLimits> = {}) => {
  reviewer = new PlanReviewer(limits, new URL(`./threads/${name}.mjs`, import.meta.url));
};

longTest('a review in a thread says what the same review here says', async () => {
  reviewer = new PlanReviewer();
  expect(await reviewer.review(asked(), never)).toEqual(await reviewPlanned(asked()));
});

longTest('a plan that is refused is refused with its code, and quotes nothing of it', async () => {
  reviewer = new PlanReviewer();
  const refused = reviewer.review(asked(Buffer.from('{"secret": ')), never);
  await expect(refused).rejects.toMatchObject({ name: 'GatehouseError', code: 'plan_unreadable' });
  await expect(refused).rejects.not.toThrow(/secret/);
  expect((await reviewer.review(asked(), never)).result.status).toBe('failed');
});

longTest('reviews that are asked for at once all get their own result', async () => {
  reviewer = new PlanReviewer();
  const harmless = { ...JSON.parse(sample.toString()), resource_changes: [], applyable: false };
  const plans = [sample, Buffer.from(JSON.stringify(harmless)), sample];
  const all = await Promise.all(plans.map((plan) => reviewer.review(asked(plan), never)));
  expect(all.map(({ result }) => result.status)).toEqual(['failed', 'passed', 'failed']);
});

test('the thread that asked goes on meanwhile', async () => {
  withProgram('never-ends');
  const stopping = new AbortController();
  const asking = reviewer.review(asked(), stopping.signal);
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  stopping.abort(new Error('the integrator stops'));
  await expect(asking).rejects.toThrow('the integrator stops');
});

test('large plans, however many, hold up no small ones', async () => {
  withProgram('never-ends-large');
  const stopping = new AbortController();
  const large = Array.from({ length: 8 }, () =>
    reviewer.review(asked(Buffer.alloc(1024 * 1024 + 1)), stopping.signal),
  );
  const small = Array.from({ length: 8 }, (_, at) => reviewer.review(asked(Buffer.alloc(at)), never));
  expect(await Promise.all(small)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  stopping.abort(new Error('the integrator stops'));
  for (const one of large) await expect(one).rejects.toThrow('the integrator stops');
});

longTest('small plans, however many, hold up no large one', async () => {
  // The small ones have to be done in that time, on a busy machine too.
  withProgram('never-ends-large', { reviewMs: 2000 });
  const stopping = new AbortController();
  let isOver = false;
  const oneAfterTheOther = async () => {
    while (!isOver) await reviewer.review(asked(Buffer.alloc(1)), never);
  };
  const small = Array.from({ length: 20 }, oneAfterTheOther);
  const large = reviewer.review(asked(Buffer.alloc(1024 * 1024 + 1)), stopping.signal);
  await expect(large).rejects.toMatchObject({ code: 'review_too_long' });
  isOver = true;
  await Promise.all(small);
});

test('small plans, one after another, start one thread', async () => {
  withProgram('counts');
  const counts = [];
  for (let at = 0; at < 3; at += 1) counts.push(await reviewer.review(asked(Buffer.alloc(1)), never));
  expect(counts).toEqual([1, 2, 3]);
});

describe('a review never passes', () => {
  test('when its thread ends', async () => {
    withProgram('dies');
    await expect(reviewer.review(asked(), never)).rejects.toMatchObject({ code: 'review_ended' });
  });

  test('when its thread answers without a result', async () => {
    withProgram('says-nothing');
    await expect(reviewer.review(asked(), never)).rejects.toMatchObject({ code: 'review_ended' });
  });

  test('when its thread cannot start', async () => {
    withProgram('is-not-there');
    await expect(reviewer.review(asked(), never)).rejects.toThrow(/is-not-there/);
  });

  test('when it takes longer than it may', async () => {
    withProgram('never-ends', { reviewMs: 200 });
    await expect(reviewer.review(asked(), never)).rejects.toMatchObject({ code: 'review_too_long' });
  });

  test('when it takes more memory than it may, and the process goes on', async () => {
    withProgram('fills-memory', { heapMiB: 32 });
    await expect(reviewer.review(asked(), never)).rejects.toMatchObject({ code: 'review_too_large' });
  });

  test('when it is aborted: the next one gets a new thread', async () => {
    withProgram('never-ends', { reviewMs: 500 });
    const stopping = new AbortController();
    const first = reviewer.review(asked(), stopping.signal);
    const second = reviewer.review(asked(), never);
    setTimeout(() => stopping.abort(new Error('the integrator stops')), 100);
    await expect(first).rejects.toThrow('the integrator stops');
    await expect(second).rejects.toMatchObject({ code: 'review_too_long' });
  });

  test('when the reviewer is closed', async () => {
    withProgram('never-ends');
    const asking = reviewer.review(asked(), never);
    setTimeout(() => void reviewer.close(), 100);
    await expect(asking).rejects.toMatchObject({ code: 'review_ended' });
  });
});

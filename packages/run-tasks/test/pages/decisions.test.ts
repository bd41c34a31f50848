import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RunView } from '../../../core/src/run-task/run.ts';
import { textIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { created, delivery, pagesPerTest, run, task } from './page-server.ts';

const planDigest = 'a'.repeat(64);
const { pages, browser } = pagesPerTest();
beforeEach(() => {
  const policies = [{ namespace: '', name: 'accept-risk' }];
  const accepter = { id: 'carol', name: 'staff-carol', mayAct: false, policies };
  pages().people.set('an-accepters-token', accepter);
});

const openRun = async (token: string, change: Partial<RunView>) => {
  pages().runs.set('run-1', run({ planDigest, ...change }));
  await browser().submit('/ui/sign-in', { token });
  return (await browser().visit('/ui/runs/run-1')).text;
};
const post = (path: string, fields: Record<string, string>) =>
  browser().submit(`/ui/runs/run-1/${path}`, fields);
const confirming: Partial<RunView> = {
  status: 'waiting_for_confirmation',
  gains: 'some',
  lost: ['role staff/old: contract "active"'],
  gained: [
    '1 role gains access.',
    'role staff/reader: everyone the provider lets in',
    '  – → read secret/data/app',
    '<script>alert(1)</script>',
  ],
};
const failed = task({ id: 'taskrs-9', name: 'policy-check', status: 'failed' });
const accepting: Partial<RunView> = {
  status: 'waiting_for_acceptance',
  acceptWith: { namespace: '', name: 'Accept-Risk' },
  toAccept: ['taskrs-9'],
  tasks: [
    failed,
    task({ name: 'passed-one' }),
    task({ name: 'advice', enforcement: 'advisory', status: 'failed' }),
  ],
};

describe('a run that waits for confirmation', () => {
  test('says first what the review says, and for whom it waits', async () => {
    const text = textIn(await openRun('a-readers-token', confirming));
    const wait = 'Waiting for confirmation By anyone with the policy gatehouse-deploy.';
    expect(text).toMatch(new RegExp(`Verdict 1 role gains access\\. *${wait}.*Pre-plan`));
    expect(text).toContain('Pre-apply waiting for confirmation');
  });

  test('shows who gains and who loses what, apart and open, as text', async () => {
    const text = await openRun('a-deployers-token', confirming);
    expect(textIn(text)).toMatch(
      /Who gains role staff\/reader.*lets in *– → read secret\/data\/app.*Who loses role staff\/old/,
    );
    expect(text).toContain('&#60;script&#62;alert(1)');
    expect(text).toContain('<details class="fold" id="gained" open>');
  });

  test('says of tokens that last longer that no one gains, and what changes', async () => {
    const gained = ['No one gains. Tokens of role reader last longer.', 'role reader: ttl 1h → ttl 8h'];
    const judged = { gains: 'none', life: 'longer', gate: 'same' } as const;
    const text = textIn(await openRun('an-accepters-token', { ...confirming, ...judged, gained }));
    expect(text).toMatch(/Verdict *No one gains.*What else changes *role reader role reader: ttl/);
    expect(text).not.toContain('Who gains');
  });

  test.each([
    ['confirm', 'confirmed'],
    ['discard', 'discarded'],
  ])('takes %s, with a reason, for the plan that was shown alone', async (path, kind) => {
    const text = await openRun('a-deployers-token', confirming);
    expect(text).toContain(`name="plan" value="${planDigest}"`);
    expect(text).toContain(`/ui/runs/run-1/${path}"`);
    expect((await post(path, { plan: planDigest, reason: ' as agreed ' })).path).toBe('/ui/runs/run-1');
    expect(pages().acts).toEqual([`${kind} run-1 staff-alice ${planDigest} as agreed`]);
  });

  test.each(['confirm', 'discard', 'retry'])('takes no %s from those who may only look', async (path) => {
    expect(await openRun('a-readers-token', confirming)).not.toContain('<button class="primary">Confirm');
    expect((await post(path, { plan: planDigest })).status).toBe(403);
    expect(pages().acts).toEqual([]);
  });
});

describe('a run whose mandatory task did not pass', () => {
  test('has a form for those who hold the named policy, for each failed mandatory task alone', async () => {
    const text = await openRun('an-accepters-token', accepting);
    expect(text.match(/Accept [\w-]+ nevertheless/g)).toEqual(['Accept policy-check nevertheless']);
    expect((await post('accept', { task: 'taskrs-9', reason: 'known', plan: planDigest })).status).toBe(200);
    expect(pages().acts).toEqual([`accepted run-1 staff-carol ${planDigest} known taskrs-9`]);
  });

  test('has no form for a failure that was accepted before', async () => {
    const text = await openRun('an-accepters-token', { ...accepting, toAccept: [] });
    expect(text).not.toContain('nevertheless');
  });

  test('says at the field that accepting needs a reason', async () => {
    await openRun('an-accepters-token', accepting);
    const { status, text } = await post('accept', { task: 'taskrs-9', reason: '  ', plan: planDigest });
    expect(status).toBe(422);
    expect(text).toMatch(/id="reason-taskrs-9-problem">Say why/);
    expect(text).toMatch(/id="reason-taskrs-9"[^>]*aria-invalid="true"/);
    expect(pages().acts).toEqual([]);
  });

  test.each(['\0', 'x'.repeat(1001)])('takes no reason like %j', async (reason) => {
    await openRun('an-accepters-token', accepting);
    expect((await post('accept', { task: 'taskrs-9', reason })).status).toBe(422);
    expect(pages().acts).toEqual([]);
  });

  test('names the policy to others, who get no form', async () => {
    const text = await openRun('a-readers-token', accepting);
    expect(textIn(text)).toContain('Anyone with the policy Accept-Risk can accept it; anyone');
    expect(text).not.toContain('/accept"');
  });

  test('can be retried, task by task', async () => {
    const text = await openRun('a-deployers-token', accepting);
    expect(text.match(/Retry [\w-]+/g)).toEqual(['Retry policy-check', 'Retry advice']);
    await post('retry', { task: 'taskrs-9', plan: planDigest });
    expect(pages().acts).toEqual([`retried run-1 staff-alice ${planDigest} taskrs-9`]);
  });
});

test('decisions stay on the page of their run, with who, when and why, as text', async () => {
  const decision = {
    kind: 'accepted',
    task: 'taskrs-9',
    by: 'staff-carol',
    entity: null,
    decidedAt: created,
  } as const;
  const text = await openRun('a-readers-token', {
    ...accepting,
    decisions: [{ ...decision, reason: '<b>known</b>', planDigest }],
  });
  expect(textIn(text)).toContain(
    'staff-carol accepted a run task that did not pass (policy-check) at 2026-11-20 10:00',
  );
  expect(text).toContain('&#60;b&#62;known');
});

test('a task says until when it has time, and what the last answer was', async () => {
  const deadlineAt = '2026-11-20T10:10:00.000Z';
  const waiting = task({
    status: 'pending',
    endedAt: null,
    acceptedAt: null,
    attempts: 3,
    trouble: 'answered 503',
  });
  const text = await openRun('a-readers-token', { tasks: [{ ...waiting, deadlineAt }] });
  expect(textIn(text)).toContain(
    'The request was sent 3 times and not accepted: answered 503. Its time ends at 2026-11-20 10:10 UTC.',
  );
});

test.each([
  ['passed', 'passed delivered'],
  ['failed', 'failed delivered'],
] as const)('a delivery shows its verdict, not only that it was delivered (%s)', async (verdict, shown) => {
  pages().deliveries.set(delivery().id, delivery({ status: 'delivered', verdict }));
  await browser().submit('/ui/sign-in', { token: 'a-readers-token' });
  expect(textIn((await browser().visit('/ui/deliveries')).text)).toContain(shown);
});

test('a delivery that its platform may not have is listed as a warning', async () => {
  pages().deliveries.set(delivery().id, delivery({ status: 'unsure', verdict: 'passed' }));
  await browser().submit('/ui/sign-in', { token: 'a-readers-token' });
  expect((await browser().visit('/ui/deliveries')).text).toMatch(/class="tag warning">.*unsure/);
});

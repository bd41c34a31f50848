import { expect, test } from '@jest/globals';
import {
  afterReading,
  type Notice,
  type WatchedState,
  type WatchReading,
} from '../../src/watch/watched-stack.ts';

const fresh: WatchedState = { failures: 0, isNotified: false, notices: 0, findings: [] };
const reading = (
  outcome: WatchReading['outcome'],
  findings: string[] = [],
  fields: Partial<WatchReading> = {},
) => ({
  outcome,
  findings,
  summary: `${findings.length} differ`,
  comparedWith: 'commit 1',
  unread: outcome === 'failed' ? ('all' as const) : findings.filter((text) => text.startsWith('?')),
  ...fields,
});
const ok = reading('ok');
const failed = reading('failed', [], { summary: 'service_unreachable', problem: 'It does not answer.' });
const drift = (...findings: string[]) => reading('drift', findings);

/** The readings one after another, at the instants 1, 2, … */
function read(...readings: WatchReading[]) {
  let state = fresh;
  const notices: (Notice & { at: number })[] = [];
  const changes: number[] = [];
  for (const [index, one] of readings.entries()) {
    const { after, change, notice } = afterReading(state, one, index + 1);
    if (notice) notices.push({ ...notice, at: index + 1 });
    if (change) changes.push(index + 1);
    state = after;
  }
  return { state, changes, notified: notices.map(({ at, outcome }) => `${at} ${outcome}`), notices };
}

test('a stack without drift is told to no one', () => {
  const { state, notified, changes } = read(ok, ok, ok);
  expect([notified, changes]).toEqual([[], [1]]);
  expect(state).toMatchObject({ outcome: 'ok', sinceAt: 1, readAt: 3, seenAt: 3 });
  expect(state.driftAt).toBeUndefined();
});

test('drift is told once, and its end once', () => {
  const { state, notified, changes } = read(ok, drift('a'), drift('a'), drift('a'), ok, ok);
  expect([notified, changes]).toEqual([
    ['2 drift', '5 ok'],
    [1, 2, 5],
  ]);
  expect(state).toMatchObject({ outcome: 'ok', sinceAt: 5, driftAt: 4, findings: [] });
});

test('each finding is told once, and has its own since', () => {
  const { state, notices } = read(drift('a'), drift('a', 'b'), drift('a', 'b'), drift('b'));
  expect(notices.map(({ at, summary, since }) => [at, summary, since])).toEqual([
    [1, '1 differ', 1],
    [2, '1 new; 2 differ', 1],
  ]);
  expect(state.findings).toEqual([{ text: 'b', since: 2 }]);
});

test('a finding that comes again is told again', () => {
  expect(read(drift('a', 'b'), drift('a'), drift('a', 'b')).notified).toEqual(['1 drift', '3 drift']);
});

test('a failure is told with the second in a row, once', () => {
  expect(read(ok, failed, ok, failed, failed, failed, failed).notified).toEqual(['5 failed']);
});

test('a failure that is told ends with a notice, whatever follows it', () => {
  expect(read(failed, failed, ok, ok).notified).toEqual(['2 failed', '3 ok']);
  expect(read(drift('a'), failed, failed, drift('a'), drift('a')).notified).toEqual([
    '1 drift',
    '3 failed',
    '4 drift',
  ]);
});

test('a failure that no one was told of ends without a notice', () => {
  const unreadable = reading('failed', ['? role web: cannot be read'], {
    unread: ['? role web: cannot be read'],
  });
  expect(read(unreadable, ok).notified).toEqual([]);
});

test('what was found stays through failures, and is seen no later', () => {
  const { state, changes } = read(drift('a'), failed, failed);
  expect(state).toMatchObject({
    outcome: 'failed',
    problem: 'It does not answer.',
    sinceAt: 2,
    seenAt: 1,
    driftAt: 1,
    failures: 2,
    findings: [{ text: 'a', since: 1 }],
  });
  expect(changes).toEqual([1, 2]);
});

test('what was found stays through a reading that did not see everything', () => {
  const part = drift('b', '? a: cannot be read');
  const { state } = read(drift('a', 'b'), part, part);
  expect(state.findings).toEqual([
    { text: 'b', since: 1 },
    { text: '? a: cannot be read', since: 2 },
    { text: 'a', since: 1, isHidden: true },
  ]);
  expect(read(drift('a', 'b'), part, part, drift('b')).state.findings).toEqual([{ text: 'b', since: 1 }]);
});

test('findings have the order of the last reading, and who gains stays through one that failed', () => {
  const access = { gains: 'some', life: 'same', gained: ['1 role gains.'] } as const;
  const { state } = read(drift('a', 'b'), reading('drift', ['b', 'c', 'a'], { access }), failed);
  expect(state.findings.map(({ text, since }) => `${text} ${since}`)).toEqual(['b 1', 'c 2', 'a 1']);
  expect(state.access).toBe(access);
  expect(read(reading('drift', ['a'], { access }), ok).state.access).toBeUndefined();
});

test('what was found goes by a reading that saw as much as the one before, though not everything', () => {
  const unread = '? a: cannot be read';
  expect(read(drift('b', unread), drift(unread, 'c')).state.findings.map(({ text }) => text)).toEqual([
    unread,
    'c',
  ]);
  expect(read(drift('b', unread), failed, drift(unread, 'c')).state.findings).toHaveLength(2);
});

test('what may be hidden again is not taken for gone', () => {
  const [a, b] = ['? a: cannot be read', '? b: cannot be read'];
  const { state } = read(drift('x', a), drift('a differs', b), drift('x', a, b));
  expect(state.findings.find(({ text }) => text === 'a differs')).toMatchObject({ isHidden: true });
});

test('the reason of a failure goes with it', () => {
  expect(read(failed, ok).state.problem).toBeUndefined();
});

test('a finding that is found twice counts once', () => {
  expect(read(drift('a', 'a')).state.findings).toEqual([{ text: 'a', since: 1 }]);
});

test('long findings that differ at their end are two', () => {
  const long = 'x'.repeat(50_000);
  const { state, notified } = read(drift(`${long}1`), drift(`${long}2`));
  expect(state.findings).toHaveLength(1);
  expect(state.findings[0]?.text.length).toBeLessThan(5000);
  expect(notified).toEqual(['1 drift', '2 drift']);
});

test('the history keeps the first of many findings, and their number', () => {
  const many = Array.from({ length: 500 }, (_, at) => `finding ${at}`);
  const { change } = afterReading(fresh, drift(...many), 1);
  expect(change?.appeared).toHaveLength(21);
  expect(change?.appeared.at(-1)).toBe('… and 480 more');
  const { change: long } = afterReading(fresh, drift('x'.repeat(3000)), 1);
  expect(long?.appeared[0]?.length).toBeLessThan(600);
});

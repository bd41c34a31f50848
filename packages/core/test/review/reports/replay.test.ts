import { describe, expect, test } from '@jest/globals';
import { reviewText } from '../../../../cli/src/review/review-text.ts';
import { reviewResult } from '../../../../cli/src/serve/outcomes.ts';
import { styleFor } from '../../../../cli/src/terminal/style.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import type { ReplaySummary } from '../../../src/review/replay-summary.ts';
import { jsonReport, reviewReport } from '../../../src/review/reports/json.ts';
import { markdownReport } from '../../../src/review/reports/markdown.ts';
import { replayDetails, replayLine } from '../../../src/review/reports/replay.ts';
import { sarifReport } from '../../../src/review/reports/sarif.ts';
import { type Review, review } from '../../../src/review/review.ts';
import { now } from '../graphs.ts';
import { terraform } from '../plan/terraform.ts';

const none = { requests: 0, principals: 0 };
const replayOf = (given: Partial<ReplaySummary> = {}): ReplaySummary => ({
  from: '2026-08-27T00:00:00.000Z',
  to: '2026-11-25T00:00:00.000Z',
  requests: 39_434,
  refused: none,
  unknown: none,
  byAnotherRule: 0,
  already: 0,
  notHeld: 0,
  otherNamespaces: 0,
  groups: [],
  missing: [],
  onService: true,
  ...given,
});
const refusing = replayOf({
  refused: { requests: 3, principals: 2 },
  groups: [
    {
      answer: 'refused',
      by: 'role ci/web',
      because: { kind: 'capability', capability: 'update' },
      requests: 3,
      principals: 2,
    },
  ],
});
const policyX = { kind: 'unnamed' as const, subject: { type: 'policy' as const, name: 'x' } };
const plain = review(readPlan(terraform([])), { now });
const reviewOf = (replay: ReplaySummary): Review => ({ ...plain, replay });
const sarifOf = (found: Review) =>
  sarifReport(found, { version: '1', positionOf: () => undefined, planFile: 'plan.json' }) as {
    runs: [{ results: object[]; properties?: object }];
  };

describe('the line of a replay', () => {
  test('says how many requests of how many people would be refused', () => {
    expect(replayLine(refusing)).toBe(
      '! Replay of 39434 requests in 90 days: 3 requests of 2 people or jobs would be refused.',
    );
  });

  test('says that none would be', () => {
    expect(replayLine(replayOf({ to: '2026-08-27T05:00:00Z' }))).toBe(
      '✓ Replay of 39434 requests in 5 hours: no request would be refused.',
    );
  });

  test('is not sure where something is unknown, and says what to add', () => {
    const unknown = { requests: 1, principals: 1 };
    expect(replayLine(replayOf({ unknown, onService: false }))).toBe(
      '? Replay of 39434 requests in 90 days: no request is known to be refused, 1 request of 1 person or job may be. Add --live or --snapshot: most is known then.',
    );
    expect(replayLine(replayOf({ missing: [policyX] }))).toContain('? Replay');
  });
});

describe('the details of a replay', () => {
  test('count what is not refused by this change, and name what was not replayed', () => {
    const counted = { byAnotherRule: 1, already: 2, otherNamespaces: 3, notHeld: 4, missing: [policyX] };
    expect(replayDetails(replayOf(counted))).toEqual([
      '1 request still allowed, by another rule.',
      '2 requests refused by what the service has today, without this change as well.',
      '3 requests in other namespaces not replayed.',
      '4 requests not replayed: too many that differ.',
      'Not replayed: policy x.',
    ]);
  });

  test('have the rule and an example where people are shown', () => {
    const [group] = refusing.groups;
    const example = { at: '2026-11-25T00:00:00Z', who: 'ci-bob', operation: 'update', path: 'secret/data/a' };
    const shown = group === undefined ? [] : [{ ...group, rule: 'secret/data/*', example }];
    expect(replayDetails(replayOf({ groups: shown }))).toEqual([
      '3 requests of 2 people or jobs with role ci/web refused: the rule does not give update; allowed by secret/data/* before; last at 2026-11-25T00:00:00Z by ci-bob: update secret/data/a.',
    ]);
  });
});

describe('a review with a replay', () => {
  test.each([
    ['terminal', (found: Review) => reviewText(found, styleFor({}, {}))],
    ['Markdown', (found: Review) => markdownReport(found)],
    ['outcomes', (found: Review) => JSON.stringify(reviewResult(found, 'error'))],
    ['SARIF', (found: Review) => JSON.stringify(sarifOf(found))],
  ])('has its line in the report: %s', (_, report) => {
    expect(report(reviewOf(refusing))).toContain('3 requests of 2 people or jobs would be refused');
    expect(report(plain)).not.toContain('Replay');
  });

  test('has it as JSON by the schema', () => {
    const report = jsonReport(reviewOf(refusing), 'error');
    const [group] = refusing.groups;
    const because = { kind: 'capability', capability: 'update', words: 'the rule does not give update' };
    expect(reviewReport.parse(report).replay).toEqual({ ...refusing, groups: [{ ...group, because }] });
  });

  test('passes as it would without', () => {
    expect(reviewResult(reviewOf(refusing), 'info').status).toBe('passed');
  });

  test('has one outcome for it, which says whether all was judged', () => {
    const outcomeOf = (replay: ReplaySummary) =>
      reviewResult(reviewOf(replay), 'error').outcomes.find(({ outcomeId }) => outcomeId === 'replay');
    expect(outcomeOf(refusing)).toMatchObject({
      tags: { Severity: [{ level: 'warning' }], Status: [{ label: 'passed' }] },
    });
    expect(outcomeOf(replayOf({ unknown: { requests: 1, principals: 1 } }))).toMatchObject({
      tags: { Severity: [{ level: 'info' }], Status: [{ label: 'not judged' }] },
    });
  });

  test.each([
    ['refused', refusing, ['warning']],
    ['unknown', replayOf({ unknown: { requests: 1, principals: 1 } }), ['note']],
    ['not replayed', replayOf({ missing: [policyX] }), ['note']],
    ['allowed', replayOf(), []],
  ])('is a result of SARIF where requests are not all allowed: %s', (_, replay, levels) => {
    const [{ results, properties }] = sarifOf(reviewOf(replay)).runs;
    expect(results).toEqual(
      levels.map((level) => expect.objectContaining({ ruleId: 'replay', ruleIndex: 0, level })),
    );
    expect(properties).toEqual({ replay: replayLine(replay) });
  });

  test('shows controls of a path that anyone may have sent', () => {
    const example = { at: '2026-11-25T00:00:00Z', who: 'bob', operation: 'read', path: 'a\u202eb' };
    const [group] = refusing.groups;
    if (group === undefined) throw new Error('no group');
    const found = reviewOf({ ...refusing, groups: [{ ...group, example }] });
    expect(JSON.stringify(sarifOf(found))).toContain('aU+202Eb');
  });
});

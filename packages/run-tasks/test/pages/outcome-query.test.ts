import { describe, expect, test } from '@jest/globals';
import type { Outcome, Tag } from '../../../core/src/run-task/outcome.ts';
import { labelsOf, readOutcomeQuery, selectOutcomes } from '../../src/pages/outcome-query.ts';

const outcome = (outcomeId: string, description: string, tags: Record<string, Tag[]> = {}): Outcome => ({
  outcomeId,
  description,
  tags,
});
const high: Tag = { label: 'High', level: 'error' };
const low: Tag = { label: 'Low', level: 'info' };
const outcomes = [
  outcome('plain', 'b'),
  outcome('low', 'd', { severity: [low], Status: [{ label: 'Passed', level: 'none' }] }),
  outcome('high', 'a', { Severity: [low, high], status: [{ label: 'Failed', level: 'error' }] }),
  outcome('loud', 'c', { SEVERITY: [{ label: 'HIGH', level: 'error' }] }),
];

const idsFor = (query: string) =>
  selectOutcomes(outcomes, readOutcomeQuery(new URLSearchParams(query))).map(({ outcomeId }) => outcomeId);

describe('outcomes', () => {
  test.each([
    ['', ['high', 'loud', 'low', 'plain']],
    ['sort=reported', ['plain', 'low', 'high', 'loud']],
    ['severity=high', ['high', 'loud']],
    ['severity=Low', ['high', 'low']],
    ['status=failed', ['high']],
    ['severity=Low&status=Passed', ['low']],
    ['severity=None', []],
    ['sort=severity', ['high', 'loud', 'low', 'plain']],
    ['sort=status', ['high', 'low', 'plain', 'loud']],
    ['sort=description', ['high', 'plain', 'loud', 'low']],
    ['severity=low&sort=severity', ['high', 'low']],
    ['sort=constructor', ['high', 'loud', 'low', 'plain']],
  ])('asked for by ?%s are %j', (query, expected) => {
    expect(idsFor(query)).toEqual(expected);
  });

  test('are offered by each label once, the worst first', () => {
    expect(labelsOf(outcomes, 'severity').map((label) => label.toLowerCase())).toEqual(['high', 'low']);
    expect(labelsOf(outcomes, 'status')).toEqual(['Failed', 'Passed']);
  });

  test('stay as they were reported: choosing changes nothing of them', () => {
    const before = structuredClone(outcomes);
    idsFor('sort=severity');
    labelsOf(outcomes, 'severity');
    expect(outcomes).toEqual(before);
  });
});

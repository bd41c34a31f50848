import { describe, expect, test } from '@jest/globals';
import { grantUse } from '../../src/usage/grant-use.ts';
import { refine } from '../../src/usage/refine.ts';
import { replay } from '../../src/usage/replay.ts';
import { usageOf } from '../../src/usage/usage.ts';
import { auditLine, folded } from './log-lines.ts';
import { graphOf, now, rule } from './usage-graph.ts';

const graph = graphOf(
  { app: `${rule('secret/data/a', ['read'])}\n${rule('x', ['read'])}` },
  { web: ['app'] },
);
const here = { graph, ids: { entity: { 'e-ann': 'ann' } } };
const elsewhere = { graph, ids: { entity: { 'e-bob': 'bob' } } };
const log = folded([auditLine()]);
const foreign = { kind: 'other-service', entities: 1 };

describe('a log that has no entity in common with the service', () => {
  test('is named in a report, which calls nothing unused by it', () => {
    const [own, other] = [here, elsewhere].map((service) => usageOf(log, service, now));
    expect(own?.untold).not.toContainEqual(foreign);
    expect(other?.untold).toContainEqual(foreign);
    expect(own?.used.some(({ used }) => used === 'no')).toBe(true);
    expect(other?.used.some(({ used }) => used === 'no')).toBe(false);
  });

  test('makes no smaller policy', () => {
    const policy = { name: 'app', text: graph.policies[0]?.text ?? '' };
    const [own, other] = [here, elsewhere].map((service) => refine(log, service, policy, { now }));
    expect([own?.refused, other?.refused]).toEqual([undefined, foreign]);
    expect(other?.after).toBe(policy.text);
  });

  test('is named by a replay, and by an access report', () => {
    const change = { before: graph, after: graph };
    expect(replay(log, change, { ...here, now }).missing).toEqual([]);
    expect(replay(log, change, { ...elsewhere, now }).missing).toEqual([foreign]);
    expect(grantUse(log, elsewhere, now).missing).toContainEqual(foreign);
  });

  test('is not taken for one where the entities of the service are not known', () => {
    const { complete: _, ...partial } = graph;
    for (const service of [{ graph }, { ...elsewhere, graph: partial }])
      expect(usageOf(log, service, now).untold).not.toContainEqual(foreign);
  });
});

test('a log whose server leaves out what policies allowed shows nothing unused, and says so', () => {
  const refused = auditLine({ allowed: false, at: 1 });
  const silent = folded([auditLine({ granted: false }), refused]);
  const left = { kind: 'allowed-left-out' };
  const found = usageOf(silent, here, now);
  expect(found.untold).toContainEqual(left);
  expect(found.used.filter(({ used }) => used !== 'maybe')).toEqual([]);
  const change = { before: graph, after: graph };
  expect(replay(silent, change, { ...here, now }).missing).toContainEqual(left);
  // Paths that no policy guards are in every log.
  const some = folded([auditLine({ granted: false }), auditLine({ at: 1 })]);
  expect(usageOf(some, here, now).untold).not.toContainEqual(left);
});

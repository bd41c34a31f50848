import { expect, test } from '@jest/globals';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { jsonReport } from '../../src/review/reports/json.ts';
import { review } from '../../src/review/review.ts';
import { now } from './graphs.ts';
import { addressesPlan, type LargePlan, rolesAndGroupsPlan, rolesPlan, rulesPlan } from './large-plans.ts';

/** Seconds of processor time. A free machine takes a third of them; tests share theirs. */
const cases: [plan: LargePlan, seconds: number][] = [
  [addressesPlan(20_000), 6],
  [rolesPlan(20_000), 100],
  [rulesPlan(50_000, 50), 60],
  [rulesPlan(50_000, 50_000), 30],
  [rolesAndGroupsPlan(3_000, 3_000), 60],
];

test.each(cases.map(([plan, seconds]) => [plan.name, plan, seconds] as const))(
  '%s',
  (name, { plan }, seconds) => {
    const text = JSON.stringify(plan());
    const started = process.cpuUsage();
    const { gains, losses, access, findings } = review(readPlan(text), { now });
    const taken = process.cpuUsage(started).user / 1e6;
    console.info(`${name}: ${taken.toFixed(1)} s, ${access.length} changes, ${findings.length} findings`);
    // What there is too much of is not known, and what is known stays.
    expect(['some', 'unknown']).toContain(gains);
    expect(['some', 'none', 'unknown']).toContain(losses);
    expect(taken).toBeLessThan(seconds);
  },
  900_000,
);

test('8,000 roles and groups of one method make a report of as many lines as change', () => {
  const judged = review(readPlan(JSON.stringify(rolesAndGroupsPlan(4_000, 4_000).plan())), { now });
  const lines = JSON.stringify(jsonReport(judged, 'error'), undefined, 1).split('\n').length;
  expect(lines).toBeLessThan(100 * judged.access.length);
}, 900_000);

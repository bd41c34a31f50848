import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { parseEnvironment } from '../../../core/src/environment/environment.ts';
import { ruleOptions } from '../../../core/src/review/rules/rule-options.ts';
import { entry, same, terraform } from '../../../core/test/review/plan/terraform.ts';
import { ann, auditLine, renewalLine, signInLine } from '../../../core/test/usage/log-lines.ts';
import { html } from '../../../host/src/pages/html.ts';
import { outcomeList } from '../../../run-tasks/src/pages/outcome-list.ts';
import { readOutcomeQuery } from '../../../run-tasks/src/pages/outcome-query.ts';
import { type PlanToReview, reviewPlanned } from '../../src/serve/plan-review.ts';

const now = BigInt(Date.parse('2026-11-23T12:00:00Z')) * 1_000_000n;
const exception = {
  rule: 'policy-unknown',
  subject: 'policy a',
  because: 'x',
  owner: 'ops',
  until: '2026-12-31',
};
const plain = { service: { address: 'https://secrets.example.com' } };
const accepting = parseEnvironment({ ...plain, exceptions: [exception] });

/** A policy that reads one path. */
const reading = (name: string, path: string) => ({
  name,
  policy: `path "${path}" { capabilities = ["read"] }`,
});
const review = (
  entries: Parameters<typeof terraform>[0],
  { was = 'unknown', ...fields }: { was?: Parameters<typeof ruleOptions>[1] } & Partial<PlanToReview> = {},
) => {
  const plan = terraform(entries);
  return reviewPlanned({
    plan: Buffer.from(typeof plan === 'string' ? plan : JSON.stringify(plan)),
    options: { now, ...ruleOptions(accepting, was) },
    failOn: 'error',
    ...fields,
  });
};
/** Policy a reads another path. */
const changing = entry('vault_policy.a', {
  ...same(reading('a', 'old')),
  actions: ['update'],
  after: reading('a', 'new'),
});

test.each([
  ['was there at the base revision', accepting, 'same', 0],
  ['is new', parseEnvironment(plain), 'weaker', 1],
  ['has no base revision', 'unknown', 'weaker', 1],
] as const)('an exception that %s', async (_, was, gate, shown) => {
  const found = await review([entry('vault_policy.a', same(reading('a', 'a')))], { was });
  expect([found.gains, found.gate]).toEqual(['none', gate]);
  expect(found.gained.filter((line) => line.startsWith('exception from policy-unknown'))).toHaveLength(shown);
});

test('who gains and who loses are told apart', async () => {
  const { gained, lost } = await review([changing]);
  expect(gained).toContain('  – → read new');
  expect(gained).not.toContain('  read old → –');
  expect(lost).toEqual(['others with policy a', '  read old → –']);
});

describe('audit logs', () => {
  const moving = entry('vault_policy.app', {
    before: reading('app', 'secret/data/a'),
    after: reading('app', 'secret/data/b'),
  });
  const outcomesOf = async (logs: string[]) =>
    JSON.stringify((await review([moving], { logs })).result.outcomes);

  test('are replayed, in counts alone', async () => {
    const log = join(
      temporaryFolder({ 'audit.log': `${signInLine('staff', ann)}\n${auditLine({ at: 1 })}\n` }),
      'audit.log',
    );
    const outcomes = await outcomesOf([log]);
    expect(outcomes).toContain('Replay of 1 request');
    expect(outcomes).not.toMatch(/\bann\b/);
  });

  test('name the role that a renewed token was signed in by, on the page of the run', async () => {
    const agent = { ...ann, token: ['app'], identity: [] };
    const asked = [auditLine({ by: agent, at: 2 }), renewalLine(agent, 3), auditLine({ by: agent, at: 4 })];
    const lines = [signInLine('staff', agent), renewalLine(agent, 1), ...asked];
    const log = join(temporaryFolder({ 'audit.log': lines.join('\n') }), 'audit.log');
    const { outcomes = [] } = (await review([moving], { logs: [log] })).result;
    const query = readOutcomeQuery(new URLSearchParams());
    const page = String(html`${outcomeList({ id: 'outcome', outcomes, query, rendering: { ms: 0 } })}`);
    expect(page).toContain('2 requests of 1 person or job with role staff/reader refused');
    expect(page).not.toMatch(/auth\/token|\bann\b/);
  });

  test('that cannot be read hold up no review, and that is said', async () => {
    expect(await outcomesOf(['/nowhere/audit.log'])).toContain('Not replayed: The log cannot be read');
  });
});

import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseEnvironment } from '../../../core/model/environment.ts';
import { ruleOptions } from '../../../core/rules/rule-options.ts';
import { reviewPlanned } from '../../../operations/serve/plan-review.ts';
import { entry, same, terraform } from '../../core/review/plan/terraform.ts';
import { ann, auditLine, signInLine } from '../../core/usage/log-lines.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

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

test.each([
  ['was there at the base revision', accepting, 'none', 0],
  ['is new', parseEnvironment(plain), 'some', 1],
  ['has no base revision', 'unknown', 'some', 1],
] as const)('an exception that %s', async (_, was, gains, shown) => {
  const text = 'path "a" { capabilities = ["read"] }';
  const plan = terraform([entry('vault_policy.a', same({ name: 'a', policy: text }))]);
  const found = await reviewPlanned({
    plan: Buffer.from(typeof plan === 'string' ? plan : JSON.stringify(plan)),
    options: { now, ...ruleOptions(accepting, was) },
    failOn: 'error',
  });
  expect(found.gains).toBe(gains);
  expect(found.gained.filter((line) => line.startsWith('exception from policy-unknown'))).toHaveLength(shown);
});

test('who gains and who loses are told apart', async () => {
  const policy = (text: string) => ({ name: 'a', policy: text });
  const [read, update] = ['a', 'b'].map((path) => `path "${path}" { capabilities = ["read"] }`);
  const plan = terraform([
    entry('vault_policy.a', {
      ...same(policy(read ?? '')),
      actions: ['update'],
      after: policy(update ?? ''),
    }),
  ]);
  const { gained, lost } = await reviewPlanned({
    plan: Buffer.from(typeof plan === 'string' ? plan : JSON.stringify(plan)),
    options: { now, ...ruleOptions(accepting, 'unknown') },
    failOn: 'error',
  });
  expect(gained).toContain('  – → read b');
  expect(gained).not.toContain('  read a → –');
  expect(lost).toEqual(['others with policy a', '  read a → –']);
});

test('what changes is drawn where that is asked for, and nothing of what stays', async () => {
  const policy = (name: string, path: string) => ({
    name,
    policy: `path "${path}" { capabilities = ["read"] }`,
  });
  const staying = entry('vault_policy.b', same(policy('b', 'stays')));
  const changing = entry('vault_policy.a', {
    ...same(policy('a', 'old')),
    actions: ['update'],
    after: policy('a', 'new'),
  });
  const asked = async (entries: (typeof staying)[], isDrawn?: boolean) => {
    const plan = terraform(entries);
    const text = typeof plan === 'string' ? plan : JSON.stringify(plan);
    const options = { now, ...ruleOptions(accepting, 'unknown' as const) };
    const { accessMap } = await reviewPlanned({ plan: Buffer.from(text), options, failOn: 'error', isDrawn });
    return accessMap;
  };
  expect(await asked([staying, changing])).toBeUndefined();
  expect(await asked([staying], true)).toBeUndefined();
  const drawn = await asked([staying, changing], true);
  expect(drawn?.nodes.map(({ title, state }) => [title, state])).toEqual([
    ['policy a', 'same'],
    ['new', 'appears'],
    ['old', 'goes'],
  ]);
});

describe('audit logs', () => {
  const policy = (text: string) => ({ name: 'app', policy: text });
  const plan = terraform([
    entry('vault_policy.app', {
      before: policy('path "secret/data/a" { capabilities = ["read"] }'),
      after: policy('path "secret/data/b" { capabilities = ["read"] }'),
    }),
  ]);
  const outcomesOf = async (logs: string[]) => {
    const text = typeof plan === 'string' ? plan : JSON.stringify(plan);
    const options = { now, ...ruleOptions(accepting, 'unknown' as const) };
    const { result } = await reviewPlanned({ plan: Buffer.from(text), options, failOn: 'error', logs });
    return JSON.stringify(result.outcomes);
  };

  test('are replayed, in counts alone', async () => {
    const log = join(
      temporaryFolder({ 'audit.log': `${signInLine('staff', ann)}\n${auditLine()}\n` }),
      'audit.log',
    );
    const outcomes = await outcomesOf([log]);
    expect(outcomes).toContain('Replay of 1 request');
    expect(outcomes).not.toMatch(/\bann\b/);
  });

  test('that cannot be read hold up no review, and that is said', async () => {
    expect(await outcomesOf(['/nowhere/audit.log'])).toContain('Not replayed: The log cannot be read');
  });
});

import { expect, test } from '@jest/globals';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { reportRows, rowLines } from '../../src/review/reports/rows.ts';
import { review } from '../../src/review/review.ts';
import { aliasAt, entry, group, groupAt, role, roleAt, terraform } from './plan/terraform.ts';

const plan = terraform([
  entry(roleAt, { before: role, after: { ...role, token_policies: ['p', 'q'] } }),
  entry(groupAt, { before: group, after: { ...group, policies: ['p', 'q'] } }),
  entry(
    aliasAt,
    ...([{ before: { id: 'aid', name: 'ops', mount_accessor: 'acc', canonical_id: 'gid' } }] as const),
  ),
]);
const lines = (lastUsed?: Record<string, { day: string; count: number }>, namespace = '') => {
  const found = review(readPlan(plan), { now: 0n, ...(lastUsed && { lastUsed: { [namespace]: lastUsed } }) });
  return reportRows(found).rows.flatMap(rowLines).join('\n');
};

test('a role says when it was last signed in by, where logs are followed', () => {
  const name = `role auth/${role.backend}/${role.role_name}`;
  expect(lines({ [name]: { day: '2026-11-20', count: 12 } })).toContain(
    'last used: 2026-11-20, 12 sign-ins in 90 days',
  );
});

test('a group says when its policies were last used, in how many requests', () => {
  expect(lines({ 'policy p': { day: '2026-11-20', count: 1 } })).toContain(
    'last used: 2026-11-20, 1 request in 90 days',
  );
});

test('a role of the same name in another namespace says nothing of it', () => {
  const name = `role auth/${role.backend}/${role.role_name}`;
  expect(lines({ [name]: { day: '2026-11-20', count: 12 } }, 'team')).toContain('not in the logs of 90 days');
});

test('one that is in no log says so', () => {
  expect(lines({})).toContain('last used: not in the logs of 90 days');
});

test('without logs, nothing is said', () => {
  expect(lines()).not.toContain('last used');
});

import { expect, test } from '@jest/globals';
import { readAuditLine } from '../../../core/usage/audit-line.ts';
import { auditLine } from './replayed-lines.ts';
import { someone } from './replayed-log.ts';

test.each([
  ['of the namespace above', 'root', true],
  ['of the same namespace', 'n', false],
])('a token %s', (_, granted, isElsewhere) => {
  const line = JSON.parse(auditLine(someone(), { path: 'secret/data/a', namespace: 'team' }));
  line.auth.policy_results.granting_policies = [{ name: 'shop', namespace_id: granted, type: 'acl' }];
  expect(readAuditLine(JSON.stringify(line))).toMatchObject({ namespace: 'team', by: { isElsewhere } });
});

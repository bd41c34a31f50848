import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Subject } from '../../core/model/subject.ts';
import { readStack } from '../../engine/stack-files/read-stack.ts';
import { stackPositions } from '../../operations/review/stack-positions.ts';
import { passphrase, root } from '../harness/environment-under-test.ts';

const lines = readFileSync(`${root}/Pulumi.dev.yaml`, 'utf8').split('\n');
const positionOf = await stackPositions(
  await readStack(root, 'dev', { PULUMI_CONFIG_PASSPHRASE: passphrase }),
);

const cases: [what: string, subject: Subject, line: RegExp][] = [
  ['a method', { type: 'method', name: 'partners' }, /kind: hosted_identity_platform/],
  ['a role', { type: 'role', name: 'admin', method: 'staff' }, /name: admin/],
  ['a field of a role', { type: 'role', name: 'admin', method: 'staff', field: 'ttl' }, /name: admin.*ttl/],
  ['a group', { type: 'group', name: 'maintainers' }, /name: maintainers/],
  ['an alias', { type: 'alias', name: 'admins', method: 'community' }, /alias: admins/],
  ['a policy', { type: 'policy', name: 'login-admin' }, /name: login-admin, file/],
  ['a message', { type: 'message', name: 'Maintenance' }, /title: Maintenance/],
  ['the service', { type: 'service', name: 'x' }, /address: http/],
];
test.each(cases)('%s is found where it is declared', (_, subject, line) => {
  const position = positionOf(subject);
  expect(position?.file).toBe('Pulumi.dev.yaml');
  expect(lines[(position?.line ?? 0) - 1]).toMatch(line);
});

test('what the stack does not declare is nowhere', () => {
  expect(positionOf({ type: 'role', name: 'admin', method: 'elsewhere' })).toBeUndefined();
});

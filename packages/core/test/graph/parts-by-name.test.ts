import { expect, test } from '@jest/globals';
import { methodAt, roleNamed, rolesOf } from '../../src/graph/parts-by-name.ts';
import { method, role } from '../review/graphs.ts';

test('parts are found by their names, the first of several', () => {
  const methods = [method('ci'), method('staff'), method('ci', { boundIssuer: 'x' })];
  expect(methodAt(methods, 'ci')).toBe(methods[0]);
  expect(methodAt(methods, 'other')).toBeUndefined();
  const roles = [role('a'), role('b'), role('a', { method: 'staff' }), role('a')];
  expect(roleNamed(roles, { method: 'staff', name: 'a' })).toBe(roles[2]);
  expect(roleNamed(roles, { method: 'ci', name: 'a' })).toBe(roles[0]);
  expect(roleNamed(roles, { method: 'ci', name: 'A' })).toBeUndefined();
  expect(rolesOf(roles, 'ci')).toEqual([roles[0], roles[1], roles[3]]);
  expect(rolesOf(roles, 'other')).toEqual([]);
});

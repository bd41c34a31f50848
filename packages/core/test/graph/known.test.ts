import { expect, test } from '@jest/globals';
import { apartSubject, isKnownAs, knownOf } from '../../src/graph/known.ts';

test('what stands in no list of a graph is known by its kind and name, however it is spelled', () => {
  const subject = apartSubject('namespace', 'Team/');
  expect(subject.name).toBe('namespace "Team/"');
  expect(knownOf(subject)).toEqual({ kind: 'namespace', name: 'Team' });
  expect(isKnownAs({ kind: 'namespace', name: 'team' }, subject)).toBe(true);
  expect(isKnownAs({ kind: 'enforcement', name: 'team' }, subject)).toBe(false);
  expect(isKnownAs({ kind: 'namespace', name: 'other' }, subject)).toBe(false);
});

test('what reads like such a thing is none', () => {
  const subject = { type: 'other' as const, name: 'namespace "team"' };
  expect(knownOf(subject)).toBeUndefined();
  expect(isKnownAs({ kind: 'namespace', name: 'team' }, subject)).toBe(false);
});

test('what a method of another type has goes with its method', () => {
  const subject = { type: 'other' as const, name: 'user jan of userpass', method: 'userpass' };
  expect(knownOf(subject)).toEqual({ kind: 'method', name: 'userpass' });
});

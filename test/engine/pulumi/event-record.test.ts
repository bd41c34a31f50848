import { describe, expect, test } from '@jest/globals';
import { hasChanges } from '../../../operations/description/change-tree.ts';
import { recordedRun, recordings } from '../../recorded/recorded.ts';

describe.each(recordings)('%s, streamed by a real engine', (name) => {
  const { steps, changes } = recordedRun(name);

  test('has one step for each operation on a resource', () => {
    const keys = steps.map(({ op, urn, refreshed }) => `${refreshed ? 'refresh ' : ''}${op} ${urn}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('has as many steps as the engine counts changes', () => {
    const counted = steps.filter(
      ({ op, refreshed }) =>
        // Steps of a refresh count where nothing comes after them; parts of a replacement never do.
        (refreshed !== true || steps.every((step) => step.refreshed)) &&
        !['create-replacement', 'delete-replaced'].includes(op),
    );
    const sum = Object.values(changes).reduce((total, count) => total + count, 0);
    expect(counted).toHaveLength(sum);
  });

  test('has the states that the operation has', () => {
    for (const { op, oldState, newState } of steps) {
      expect([op, oldState !== undefined]).toEqual([op, op !== 'create']);
      if (op !== 'refresh') expect([op, newState !== undefined]).toEqual([op, !/^delete/.test(op)]);
    }
  });
});

test('a preview that finds nothing to do says so', () => {
  expect(hasChanges(recordedRun('noop').steps)).toBe(false);
});

test.each(['refresh-drift', 'preview-refresh-drift'] as const)(
  '%s: what a refresh finds gone has no new state',
  (name) => {
    const found = recordedRun(name).steps.filter(({ refreshed }) => refreshed);
    expect(
      found.filter(({ newState }) => newState === undefined).map(({ urn }) => urn.split('::').at(-1)),
    ).toEqual(['cluster-backup']);
  },
);

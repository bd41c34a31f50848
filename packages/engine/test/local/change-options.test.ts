import { expect, test } from '@jest/globals';
import { triggersReplacement, withReplaceOnChanges } from '../../src/local/change-options.ts';
import { type PropertyValue, Secret, Unknown } from '../../src/property-value.ts';

test.each([
  ['labels.team', 'labels.team'],
  ['list[*]', 'list[0]'],
])('replaceOnChanges of a part, %s, turns its change into a replacement', (wanted, path) => {
  const top = path.split(/[.[]/)[0] as string;
  const diff = {
    changes: 'some' as const,
    replaces: [],
    diffs: [top],
    deleteBeforeReplace: false,
    detailedDiff: { [path]: { kind: 'update' as const, inputDiff: false } },
  };
  expect(withReplaceOnChanges(diff, [wanted], false)).toMatchObject({
    replaces: [top],
    detailedDiff: { [path]: { kind: 'update-replace' } },
  });
  expect(withReplaceOnChanges(diff, [`${top}.other`], false).replaces).toEqual([]);
});

test.each<[string, PropertyValue | undefined, PropertyValue | undefined, boolean]>([
  ['another value', 'a', 'b', true],
  ['the same', { a: [1] }, { a: [1] }, false],
  ['the same as a secret', 'a', new Secret('a'), false],
  ['none before', undefined, 'a', false],
  ['none any more', 'a', null, false],
  ['one that is not known yet', 'a', [Unknown.value], true],
])('a trigger replaces (shouldTriggerReplace): %s', (_, old, now, replaces) => {
  expect(triggersReplacement(old, now)).toBe(replaces);
});

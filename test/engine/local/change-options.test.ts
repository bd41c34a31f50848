import { expect, test } from '@jest/globals';
import { withReplaceOnChanges } from '../../../engine/local/change-options.ts';

test.each([
  ['labels.team', 'labels.team'],
  ['list[*]', 'list[0]'],
])('replaceOnChanges of a part, %s, turns its change into a replacement', (wanted, path) => {
  const top = path.split(/[.[]/)[0] as string;
  const diff = {
    ...{ changes: 'some' as const, replaces: [], diffs: [top], deleteBeforeReplace: false },
    detailedDiff: { [path]: { kind: 'update' as const, inputDiff: false } },
  };
  expect(withReplaceOnChanges(diff, [wanted], false)).toMatchObject({
    replaces: [top],
    detailedDiff: { [path]: { kind: 'update-replace' } },
  });
  expect(withReplaceOnChanges(diff, [`${top}.other`], false).replaces).toEqual([]);
});

import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { giverWords } from '../../../src/words/giver-words.ts';
import { now } from '../../review/graphs.ts';
import { change } from '../../worlds.ts';

describe('tokens that are made', () => {
  const maker = (policies: string) => `token tr ${policies}`;
  const known =
    'policy a: x read\n policy d: x deny\n complete methods groups aliases policies identities others';
  const wordsOf = (text: string, side: 'gains' | 'losses' = 'gains') =>
    decideAccess(change(`${known}\n ${text}`), now).changes.map(({ principals, ...one }) => {
      const { picked, name } = principals;
      return `${picked === undefined ? name : giverWords(picked)} ${one[side]}`;
    });
  const alone = 'tokens made by role ci/r, with policy a alone';
  const named = `- ${maker('other')}\n + ${maker('-')}\n role r a,d`;
  const unnamed = `- ${maker('-')}\n + ${maker('other')}\n role r a,d`;

  test('by a role that names no policies leave out a denial of their maker', () => {
    expect(wordsOf(`~ role r d → d,a\n ${maker('-')}`)).toContain(`${alone} some`);
    expect(wordsOf('~ role r d → d,a')).toEqual(['r none']);
  });

  test('leave out a denial from when a role names no policies, and until it does', () => {
    expect(wordsOf(named)).toContain(`${alone} some`);
    expect(wordsOf(unnamed, 'losses')).toContain(`${alone} unknown`);
    expect(wordsOf(`${maker('-')}\n role r a,d`)).toEqual([]);
  });

  test('have the groups of their maker', () => {
    const led = `group g d\n ${maker('a')}\n role r - groupsClaim: groups\n - alias /g ci g`;
    expect(wordsOf(led)).toContain('/g some');
  });
});

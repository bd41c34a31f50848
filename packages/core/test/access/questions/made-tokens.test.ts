import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { Reach } from '../../../src/access/questions/who-can.ts';
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

  describe('by a rule of their maker', () => {
    const rule = 'policy c: auth/token/create update';
    const gainsOf = (text: string) => decideAccess(change(`${known}\n ${text}`), now).gains;

    test.each(['role r', 'user staff/ann', 'approle apps/web'])('leave out a denial: %s', (who) => {
      expect(gainsOf(`${rule}\n ~ ${who} c,d → c,d,a`)).toBe('some');
      expect(gainsOf(`~ ${who} d → d,a`)).toBe('none');
    });

    test('leave out a denial where a group lets their maker', () => {
      const led = 'group g c\n alias /g ci g';
      expect(gainsOf(`${rule}\n ${led}\n ~ role r d groupsClaim: groups → d,a groupsClaim: groups`)).toBe(
        'some',
      );
    });

    test('may leave out a denial where a policy of their maker is not known', () => {
      const unread = known.replace('aliases policies', 'aliases');
      const decided = decideAccess(change(`${unread}\n ~ role r d,elsewhere → d,elsewhere,a`), now);
      expect(decided.gains).toBe('unknown');
    });

    test('are no gain where nothing becomes of them', () => {
      expect(gainsOf(`${rule}\n role r c,d,a`)).toBe('none');
    });

    test('are no gain of administrators', () => {
      const root = 'policy root-like: * create,read,update,delete,list,sudo';
      expect(gainsOf(`${root}\n policy n: y list\n ~ role r root-like → root-like,n`)).toBe('none');
    });

    test('count among who can', () => {
      const { after } = change(`${known}\n ${rule}\n role r c,d,a`);
      const { answer, abilities } = new Reach(after, now).whoCan({ capability: 'read', path: 'x' });
      expect(answer).toBe('yes');
      expect(abilities.map(({ policies }) => policies)).toEqual([['a']]);
    });
  });

  test('have the groups of their maker', () => {
    const led = `group g d\n ${maker('a')}\n role r - groupsClaim: groups\n - alias /g ci g`;
    expect(wordsOf(led)).toContain('/g some');
  });
});

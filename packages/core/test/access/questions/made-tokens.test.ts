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
    const gainsAlone = (text: string) => decideAccess(change(text), now).gains;
    const gainsOf = (text: string) => gainsAlone(`${known}\n ${text}`);

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

    const alone = 'policy d: x deny\n policy a: x read';

    test('may leave out a denial where a group that is not known may have it', () => {
      expect(gainsAlone(`${alone}\n ~ role r d → d,a`)).toBe('unknown');
      expect(gainsAlone(`${alone}\n complete groups identities\n ~ role r d → d,a`)).toBe('none');
    });

    test('may leave out a denial where a token role that is not known may name no policies', () => {
      const byRole = `${alone}\n policy c: auth/token/create/+ update\n complete groups identities`;
      expect(gainsAlone(`${byRole}\n ~ role r c,d → c,d,a`)).toBe('unknown');
      expect(gainsAlone(`${byRole}\n complete others\n ~ role r c,d → c,d,a`)).toBe('none');
    });

    test.each([
      ['their own', '~ ldap-group d/team c,d → c,d,a'],
      ['that of another group', 'ldap-group d/all c\n ~ ldap-group d/team d → d,a'],
      ['that of all people', '~ ldap-group d/team d → d,a', 'token_policies: [c]'],
    ])('leave out a denial of a directory’s group by a rule: %s', (_, people, fields = '') => {
      const text = `${rule}\n mount d ldap ${fields}\n ${people}`;
      expect(gainsOf(text)).toBe('some');
      expect(gainsOf(text.replace('create update', 'create list'))).toBe('none');
    });

    test.each([
      ['by a rule', '~ role r default,c → default,c,a'],
      ['by a token role', `~ ${maker('default')} → default,a`],
    ])('leave out a denial of `default`, %s', (_, who) => {
      expect(gainsOf(`${rule}\n policy default: x deny\n ${who}`)).toBe('some');
    });

    test('that are orphans count among who can, in no group that a role asks for', () => {
      const bound = 'groupsClaim: groups, boundClaims: {groups: [/g]}';
      const led = `complete roles:ci\n method ci\n group g d\n alias /g ci g\n role r c,a ${bound}`;
      const { after } = change(`${known}\n policy c: auth/token/create-orphan update\n ${led}`);
      expect(new Reach(after, now).whoCan({ capability: 'read', path: 'x' }).answer).toBe('yes');
    });

    test.each([
      ['a policy more', '~ role r c BOUND → c,a BOUND'],
      ['another text', '~ policy b: y read → y read; x read\n role r b,c BOUND'],
    ])('leave out a denial of a group that a role asks for, as orphans: %s', (_, who) => {
      const bound = 'groupsClaim: groups, boundClaims: {groups: [/g]}';
      const led = `complete roles:ci\n method ci\n group g d\n alias /g ci g\n ${who.replaceAll('BOUND', bound)}`;
      expect(gainsOf(`policy c: auth/token/create-orphan update\n ${led}`)).toBe('some');
      expect(gainsOf(`policy c: auth/token/lookup update\n ${led}`)).toBe('none');
    });

    test.each([
      ['that is known', rule, 'some'],
      ['that a group elsewhere may have', 'policy c: y read', 'unknown'],
    ])('are no gain where their maker had it by another policy, by a rule %s', (_, text, answer) => {
      const pickedGains = (others: string) =>
        decideAccess(change(`${text}\n ${others}\n ~ policy q → s/db read`), now)
          .changes.filter(({ principals }) => principals.picked !== undefined)
          .map(({ gains }) => gains);
      expect(pickedGains('policy p: s/* read,delete\n role r p,q,c')).toEqual([]);
      expect(pickedGains('policy d: s/db deny\n role r d,q,c')).toEqual([answer]);
    });

    test('are no gain where a policy only has another name', () => {
      const renamed = 'policy b: x read\n ~ role r c,d,a → c,d,b';
      expect(gainsOf(`${rule}\n ${renamed}`)).toBe('none');
      expect(gainsOf(`${rule}\n ${renamed.replace('x read', 'x read,list')}`)).toBe('some');
    });

    test('are no gain where a policy that is named is none', () => {
      expect(gainsOf('~ role r d,gone → d,gone,a')).toBe('none');
    });

    test('of a directory’s group count among who can', () => {
      const { after } = change(
        `${known}\n ${rule}\n mount d ldap\n ldap-group d/all c\n ldap-group d/team d,a`,
      );
      expect(new Reach(after, now).whoCan({ capability: 'read', path: 'x' }).answer).toBe('yes');
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

import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { now } from '../../review/graphs.ts';
import { change } from '../../worlds.ts';

describe('a user of userpass', () => {
  const without = (list: string) => ` complete ${list}`;
  const closed = without('methods groups aliases policies identities others');
  /** A denial is taken from Ann, who has an alias; Jan's user may read. */
  const gainsWith = (user: string, complete = closed) => {
    const text = `policy a: x read\n policy d: x deny\n mount userpass userpass\n ${user}
      ~ entity ann d → -\n entity-alias ann userpass ann\n${complete}`;
    return decideAccess(change(text), now).gains;
  };

  test('is never one token with the alias of another', () => {
    expect(gainsWith('user jan a\n user ann -')).toBe('none');
  });

  test.each(['ann', 'Ann'])('has the alias of its own name: %s', (name) => {
    expect(gainsWith(`user ${name} a\n user jan -`)).toBe('some');
  });

  test('of another method has any alias', () => {
    expect(gainsWith('approle userpass/jan a')).toBe('some');
  });

  test('may have the alias where not all users are known', () => {
    expect(gainsWith('user jan a', without('methods groups aliases policies'))).not.toBe('none');
  });

  test('is looked at with every alias where there are very many', () => {
    const many = Array.from(
      { length: 600 },
      (_, at) => `user u${at} a\n entity-alias u${at} userpass e${at}`,
    );
    expect(gainsWith(`${many.join('\n')}\n user ann -`)).toBe('some');
  });
});

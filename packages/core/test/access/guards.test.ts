import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../src/access/questions/change.ts';
import type { Change } from '../../src/graph/change.ts';
import { otherMethod } from '../../src/graph/nodes/other-method.ts';
import { keyOfNode } from '../../src/graph/nodes/other-node.ts';
import { alsoWords } from '../../src/words/also-words.ts';
import { reasonWords } from '../../src/words/reason-words.ts';
import { now } from '../review/graphs.ts';
import { change } from '../worlds.ts';

const groups = 'guard en group:g';
const entities = 'guard en entity:e';
const methods = 'guard en method:people';

const people = `complete
  complete others:people
  policy a: a read
  mount people userpass
  user people/ann a
  entity e -`;
const alias = 'entity-alias ann people e';

function judged(text: string, rest: Partial<Change> = {}) {
  const { gains, changes } = decideAccess(change(`${people}\n ${text}`, rest), now);
  const words = changes
    .filter(({ principals }) => principals.name === 'identity mfa login enforcement "en"')
    .flatMap(({ also }) => also.map(({ what }) => alsoWords(what)));
  return [gains, ...words];
}
const asks = (whom: string) => `it no longer asks ${whom} for a second factor`;
const ann = 'alias ann of people (entity e)';

describe('who leaves what a guard is bound to signs in without it', () => {
  test.each([
    ['a member of its group', `${groups}\n ${alias}\n - internal g - entity:e\n + internal g -`, ann],
    [
      'a member of a group in its group',
      `${groups}\n ${alias}\n internal inner - entity:e\n - internal g - group:inner\n + internal g -`,
      `${ann}, members of group inner`,
    ],
    ['an alias of its entity', `${entities}\n - ${alias}`, ann],
    [
      'an alias that goes to another entity',
      `${entities}\n entity f -\n - ${alias}\n + entity-alias ann people f`,
      ann,
    ],
    [
      'a provider’s group, whose alias goes',
      `${groups}\n method ci\n role r - groupsClaim: groups\n group g -\n - alias /g ci g`,
      'people in "/g" at auth/ci (group g)',
    ],
    [
      'a provider’s group, which no role reads any more',
      `${groups}\n method ci\n ~ role r - groupsClaim: groups → groupsClaim: null\n group g -\n alias /g ci g`,
      'people in "/g" at auth/ci (group g)',
    ],
  ])('%s', (_, text, whom) => {
    expect(judged(text)).toEqual(['some', asks(whom)]);
  });

  test.each([
    [
      'its group is made anew',
      groups,
      `${alias}\n internal g - entity:e`,
      { type: 'group', name: 'g' },
      `${ann}, members of group g`,
    ],
    ['its entity is made anew', entities, alias, { type: 'entity', name: 'e' }, ann],
  ] as const)('%s', (_, guard, text, subject, whom) => {
    const [gains, words] = judged(`${guard}\n ${text}`, { remade: [subject] });
    expect([gains, words]).toEqual(['some', asks(`${whom}`)]);
  });

  test('its mount is made anew, and has another accessor', () => {
    const change = { remadeOthers: [keyOfNode(otherMethod('people', 'userpass', {}))] };
    expect(judged(methods, change)[1]).toContain('who signs in at auth/people');
  });
});

describe('a guard is not lost', () => {
  test.each([
    [
      'where the user of the alias goes as well',
      `${entities}\n - ${alias}\n - user people/bob a`.replaceAll('ann', 'bob'),
    ],
    [
      'where it is bound to the method, too',
      `guard en group:g method:people\n ${alias}\n - internal g - entity:e\n + internal g -`,
    ],
    [
      'where it is bound to the type of the method',
      `guard en group:g type:userpass\n ${alias}\n - internal g - entity:e\n + internal g -`,
    ],
    ['where a new member comes', `${groups}\n ${alias}\n - internal g -\n + internal g - entity:e`],
  ])('%s', (_, text) => {
    expect(judged(text)).toEqual(['none']);
  });
});

test('guards that may be elsewhere leave open who leaves a group', () => {
  const lists = 'complete methods groups aliases policies identities others';
  const text = `${lists}\n entity e -\n - internal g - entity:e\n + internal g -`;
  const { gains, unseen } = decideAccess(change(text), now);
  expect([gains, unseen.map(reasonWords)]).toEqual([
    'unknown',
    ['groups, policies and second factors elsewhere of group g'],
  ]);
  expect(decideAccess(change(`${text}\n complete guards`), now).gains).toBe('none');
});

import { describe, expect, test } from '@jest/globals';
import { PolicyTexts } from '../../../src/graph/policies/policy-texts.ts';

const rule = (path: string, limits = '') => `path "${path}" { capabilities = ["read"] ${limits} }`;
const texts = new PolicyTexts([
  { name: 'Reader', text: rule('a') },
  { name: 'broken', text: 'path' },
  { name: 'until', text: rule('b', 'expiration = "2020-01-01T00:00:00Z"') },
]);

describe('policies of a state', () => {
  test('are found by their names in any letters', () => {
    expect(texts.text(' reader')).toBe(rule('a'));
    expect(texts.rules('READER')).toMatchObject([{ path: 'a' }]);
  });

  test('have no rules where their text is missing or cannot be read', () => {
    expect([texts.rules('gone'), texts.rules('broken')]).toEqual([undefined, undefined]);
    expect(texts.unreadable()).toEqual(['broken']);
  });

  test('are judged together, with those that are missing', () => {
    const { acl, rules, unread } = texts.set(['reader', 'gone', 'until', 'broken']);
    expect(rules.map(({ path }) => path)).toEqual(['a', 'b']);
    expect(unread).toEqual(['gone', 'broken']);
    expect([acl.capabilities('a'), acl.capabilities('c')]).toEqual([['read'], ['deny']]);
  });

  test('are read once for the same names', () => {
    expect(texts.set(['reader'])).toBe(texts.set(['reader']));
    expect(texts.set(['reader'])).not.toBe(texts.set(['until']));
    expect(texts.rules('reader')).toBe(texts.rules('Reader'));
  });

  test('keep their expired rules, unless a time is given', () => {
    const later = new PolicyTexts([{ name: 'until', text: texts.text('until') ?? '' }], 2n ** 62n);
    expect(texts.set(['until']).acl.capabilities('b')).toEqual(['read']);
    expect(later.set(['until']).acl.capabilities('b')).toEqual(['deny']);
  });
});

describe('a policy gives a power', () => {
  const reads = (name: string) => texts.gives(name, (acl) => acl.capabilities('a').includes('read'));

  test.each([
    ['what its text allows', 'Reader', true],
    ['not what its text does not allow', 'until', false],
    ['nothing where its text cannot be read', 'broken', false],
    ['anything as root', ' Root', true],
    ['anything by its name, where its text is missing', 'team-Admins', true],
    ['anything as another root', 'root-of-b', true],
    ['nothing by another name', 'other', false],
  ])('%s', (_, name, gives) => {
    expect(reads(name)).toBe(gives);
  });

  test('as root whatever its text is', () => {
    expect(new PolicyTexts([{ name: 'root', text: rule('a') }]).gives('root', () => false)).toBe(true);
  });

  test('by its name only where its text is missing', () => {
    const admins = new PolicyTexts([{ name: 'admins', text: rule('a') }]);
    expect(admins.gives('admins', () => false)).toBe(false);
  });
});

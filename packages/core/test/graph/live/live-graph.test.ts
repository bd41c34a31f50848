import { expect, test } from '@jest/globals';
import { type LiveAnswers, liveGraphOf } from '../../../src/graph/live/live-graph.ts';
import { entityFromWire } from '../../../src/graph/live/live-others.ts';
import { isOpaque, wordsOf } from '../../../src/graph/nodes/other-node.ts';

const answers: LiveAnswers = {
  mounts: new Map([
    ['ci', { type: 'jwt', accessor: 'a-ci' }],
    ['people', { type: 'ldap', accessor: 'a-people' }],
    ['odd', { type: 'odd', accessor: 'a-odd' }],
  ]),
  wanted: ['ci'],
  configs: [{ path: 'ci', config: { bound_issuer: 'https://ci.example.com' } }],
  parts: [],
  groups: {
    all: [
      {
        id: 'g1',
        name: 'admins',
        type: 'external',
        policies: ['ops'],
        alias: { name: '/a', mount_accessor: 'a-ci' },
      },
      { id: 'g2', name: 'team', type: 'internal', policies: ['app'], member_entity_ids: ['e1', 'e9'] },
    ],
  },
  entities: [
    entityFromWire('e1', 'ann', { aliases: [{ name: 'ann', mount_accessor: 'a-people' }] }, {}),
    entityFromWire('e2', 'bob', {}, { policies: ['own'], disabled: true, merged_entity_ids: ['e3'] }),
    entityFromWire('e4', 'may', {}, {}),
  ],
  programs: [{ method: 'ci', names: ['cel'] }],
  apart: [],
  otherMethods: [
    { path: 'people', config: 'refused', roles: [] },
    { path: 'odd', roles: [] },
  ],
  tokens: [
    { policies: ['b', 'a'], entity: 'e1' },
    { policies: ['a', 'b'], entity: 'e1' },
  ],
  unreadable: [],
};
const asked = { knownOnly: false, undeclared: false, whole: true };
const whole = (change: Partial<LiveAnswers> = {}) => liveGraphOf({ ...answers, ...change }, asked);

test('what else decides access has a name each, and what could not be read is opaque', () => {
  const { graph } = whole();
  expect(graph.others?.map((node) => [wordsOf(node), isOpaque(node)])).toEqual([
    ['method people (ldap)', true],
    ['method odd', true],
    ['alias ann of people for entity ann', false],
    ['disabling of entity bob', false],
    ['tokens with a, b of entity ann', false],
    ['role cel of ci (a program)', true],
  ]);
});

test('the alias of an entity that has nothing else is apart', () => {
  const aliases = [{ name: 'joe', mount_accessor: 'a-people' }];
  const entities = [...answers.entities, entityFromWire('e5', 'joe', { aliases }, {})];
  const { graph, plainAliases } = whole({ entities });
  expect(plainAliases.map(wordsOf)).toEqual(['alias joe of people for entity joe']);
  expect(graph).toEqual(whole().graph);
});

test('an entity that gives nothing is left out, and one that is disabled has no policies', () => {
  const { graph, ids } = whole();
  expect(graph.identities?.map(({ name, policies }) => [name, policies])).toEqual([
    ['team', ['app']],
    ['ann', []],
    ['bob', []],
  ]);
  expect(ids.entity).toEqual({ e1: 'ann', e2: 'bob', e3: 'bob', e4: 'may' });
});

test('a member that no list has is unreadable', () => {
  expect(whole().unreadable).toEqual([
    { subject: { type: 'entity', name: 'e9' }, why: expect.stringContaining('it is in the group team') },
  ]);
});

test('a method with settings for a provider that is not known is not known as a whole', () => {
  const provider_config = { provider: 'secureauth' };
  const { graph, unreadable } = whole({ configs: [{ path: 'ci', config: { provider_config } }] });
  expect(unreadable.map(({ subject }) => subject)).toContainEqual({
    type: 'method',
    name: 'ci',
    field: 'providerConfig',
  });
  expect(graph.complete).not.toContainEqual({ list: 'methods' });
});

test('only what was read as a whole is complete', () => {
  const listsOf = (change: Partial<LiveAnswers>) =>
    whole(change).graph.complete?.map(({ list, method }) => (method ? `${list}:${method}` : list));
  const all = ['methods', 'groups', 'aliases', 'policies', 'others:people', 'roles:ci', 'tokens'];
  expect(listsOf({})).toEqual(all);
  const refused = (type: 'policy' | 'other', name: string, method?: string) => ({
    unreadable: [{ subject: { type, name, ...(method && { method }) }, why: 'permission denied' }],
  });
  expect(listsOf(refused('policy', '*'))).toEqual(all.filter((one) => one !== 'policies'));
  expect(listsOf(refused('other', 'x', 'people'))).toEqual(all.filter((one) => one !== 'others:people'));
  expect(listsOf(refused('other', 'tokens'))).toEqual(all.filter((one) => one !== 'tokens'));
});

import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../src/access/questions/change.ts';
import { listsOf, mayReach } from '../../src/access/reached.ts';
import type { Change } from '../../src/graph/change.ts';
import type { Subject } from '../../src/graph/subject.ts';
import { reasonWords } from '../../src/words/reason-words.ts';
import { now } from '../review/graphs.ts';
import { change } from '../worlds.ts';

// Each row of the table has its worlds in edges.test.ts.
const named = 'policy t: kv/{{identity.groups.names.g.name}} read';
const secretId = '~ secret-id s apps/app metadata: {team: dev} → metadata: {team: prod}';
const customMetadata: Subject = { type: 'other', name: 'alias bob', field: 'customMetadata' };

const lists = ['methods', 'groups', 'aliases', 'policies', 'identities', 'others', 'guards'];
const replaced: Change['replaced'] = [{ type: 'method', name: 'ci' }];

describe('an open end is closed once each list is complete that its edge hangs on', () => {
  test.each([
    ['identity', 'group g -\n + alias a ci g', {}],
    ['former', 'entity bob -\n + entity-alias bob ci bob', {}],
    ['aliases', 'method ci', { replaced }],
    ['group-aliases', '~ role r groupsClaim: groups → groupsClaim: teams', {}],
    ['metadata', '~ group g - metadata: {team: a} → metadata: {team: b}', {}],
  ] as const)('%s', (edge, text, rest) => {
    const isOpenWith = (complete: readonly string[]) =>
      decideAccess(change(`complete ${complete.join(' ')}\n ${text}`, rest), now).unseen.some(
        (reason) => reason.kind === 'open-end' && reason.edge === edge,
      );
    const without = (list: string) => lists.filter((other) => other !== list);
    expect(isOpenWith(lists)).toBe(false);
    expect(lists.filter((list) => isOpenWith(without(list)))).toEqual(
      lists.filter((list) => listsOf(edge).some((other) => other === list)),
    );
    expect(listsOf(edge)).not.toEqual([]);
  });
});

test('what is not known of custom metadata is said to be', () => {
  const { gains, uncertain } = decideAccess(change('', { unknown: [customMetadata] }), now);
  expect([gains, uncertain.map(reasonWords)]).toEqual(['unknown', ['customMetadata of alias bob']]);
});

test('what others made at a mount is lost with it', () => {
  const text = 'complete aliases others identities\n method ci\n - role r';
  const { gains, unseen } = decideAccess(change(text, { replaced: [{ type: 'method', name: 'ci' }] }), now);
  expect(unseen.map(reasonWords)).toContain('what others make again at auth/ci, which is replaced');
  expect(gains).not.toBe('none');
});

test.each([
  ['entity.aliases.auth_jwt_1.custom_metadata.team', 'complete policies', true],
  ['entity.aliases.auth_jwt_1.metadata.team', 'complete policies', false],
  ['entity.metadata.team', 'complete policies', false],
  ['entity.metadata.team', '', true],
])(
  'custom metadata of an alias, where policies read %s, and "%s": may reach a token: %s',
  (read, known, reaches) => {
    const text = `policy t: kv/{{identity.${read}}} read\n ${known}`;
    expect(mayReach(change(text), customMetadata)).toBe(reaches);
  },
);

test.each([
  ['no policy reads a name', 'policy t: kv/a read\n + group g -\n + alias a ci g'],
  ['a policy reads another name', `${named.replace('.g.', '.h.')}\n + group g -\n + alias a ci g`],
  [
    'a policy reads ids alone, which the service draws',
    'policy t: kv/{{identity.groups.ids.x.name}} read\n + group g -\n + alias a ci g',
  ],
  ['no one is in it', `${named}\n + group g -`],
  ['another field is read', `policy t: kv/{{identity.entity.aliases.acc.metadata.env}} read\n ${secretId}`],
])('what a change makes fills nothing in where all policies are known: %s', (_, text) => {
  const { gains, unseen, uncertain } = decideAccess(change(`complete\n ${text}`), now);
  expect([unseen, uncertain]).toEqual([[], []]);
  expect(gains).toBe('none');
});

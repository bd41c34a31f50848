import { expect, test } from '@jest/globals';
import { principalsNamed, reachOf } from '../../../src/access/questions/reach.ts';
import { ofKind, wordsOf } from '../../../src/graph/nodes/other-node.ts';
import { graphOf, policy, role } from '../../review/graphs.ts';
import { graph } from '../../worlds.ts';

test('a row shows limits where something is given, and a denial of any kind as one', () => {
  const text = [
    'path "a" { capabilities = ["deny"] \n max_wrapping_ttl = 5 }',
    'path "b" { capabilities = [] }',
    'path "c/" { capabilities = ["list", "read"] \n max_wrapping_ttl = 5 }',
    'path "d" { capabilities = ["list", "read"] }',
    'path "e" { capabilities = ["list"] }',
    // Its list is decided by the next.
    'path "f" { capabilities = ["list", "read"] }',
    'path "f/" { capabilities = ["list"] }',
  ].join('\n');
  const one = role('r', { policies: ['p', 'q'] });
  const policies = [{ name: 'p', text }, policy('q', ['a', 'read'], ['d', 'update'])];
  const { rows, missing } = reachOf(graphOf({ roles: [one], policies }), one, [], 0n);
  const row = ({ pattern, path, capabilities, policies: by, limits }: (typeof rows)[number]) =>
    `${pattern} ${path} ${capabilities.join()} ${by.join()} ${limits.join()}`.trim();
  expect(missing).toEqual([]);
  expect(rows.map(row)).toEqual([
    'a a deny p,q',
    'b b deny p',
    'c/ c/ list,read p wrapping',
    'd d list,read,update p,q',
    'e e list p',
    'f f read p',
    'f/ f/ list p',
  ]);
  expect(rows.slice(0, 2).map(({ from }) => from)).toEqual([{ deny: ['p'] }, { deny: ['p'] }]);
});

test('a role has what the groups give that are asked about', () => {
  const one = role('r', { policies: ['p'], groupsClaim: 'groups' });
  const groups = ['Team', 'crew'].map((name) => ({ name, policies: [`of-${name}`] }));
  const aliases = groups.map(({ name }) => ({ name: `/${name}`, method: 'ci', group: name }));
  const policies = (...asked: string[]) =>
    reachOf(graphOf({ roles: [one], groups, aliases }), one, asked, 0n).policies;
  expect([policies(), policies('TEAM')]).toEqual([['p'], ['of-team', 'p']]);
});

const named = graph(`
  group Team t
  group crew c
  entity ann e
  internal ann g
  approle apps/web p
  user people/web
  mount web ldap`);
const [app, user] = ofKind(named.others, 'otherRole');
if (app === undefined || user === undefined) throw new Error('there are no roles');
user.isOpaque = true;

test.each<[asked: Parameters<typeof principalsNamed>[1], ...words: string[]]>([
  [{ kind: 'entity', name: 'ANN' }, 'entity ANN: e'],
  [{ kind: 'group', name: 'ann' }, 'group ann: g'],
  [{ kind: 'group', name: 'team' }, 'group team: t'],
  [{ kind: 'entity', name: 'team' }],
  [{ kind: 'group', name: 'none' }],
  [{ kind: 'role', name: 'WEB' }, `${wordsOf(app)}: default,p`, `${wordsOf(user)}: default and more`],
  [{ kind: 'role', name: 'web', method: 'apps' }, `${wordsOf(app)}: default,p`],
  [{ kind: 'role', name: 'web', type: 'userpass' }, `${wordsOf(user)}: default and more`],
  [{ kind: 'role', name: 'web', method: 'apps', type: 'userpass' }],
])('principals by the name %j', (asked, ...words) => {
  expect(
    principalsNamed(named, asked).map(
      (one) => `${one.words}: ${one.policies.join()}${one.isOpaque ? ' and more' : ''}`,
    ),
  ).toEqual(words);
});

import { expect, test } from '@jest/globals';
import { otherRole } from '../../../core/src/graph/nodes/other-role.ts';
import { allLists, namesPerson } from '../../../core/src/graph/resources/other-methods.ts';
import { usageOf } from '../../../core/src/usage/usage.ts';
import { auditLine, folded, signInLine } from '../../../core/test/usage/log-lines.ts';
import { graphOf, now, rule } from '../../../core/test/usage/usage-graph.ts';
import { withoutPeople } from '../../src/usage/hidden-people.ts';

const user = (name: string) =>
  otherRole({ type: 'userpass', method: 'people', noun: 'user', name }, { token_policies: ['app'] });
const al = {
  name: 'people-alice.smith',
  entity: 'e-al',
  metadata: { username: 'alice.smith' },
  token: ['app'],
};
const apps = { name: 'apps', entity: 'e-apps', metadata: { role_name: 'web' }, token: ['app'] };
const base = graphOf({ app: rule('kv/*', ['read']) }, { web: ['app'] });
const graph = {
  ...base,
  others: [...(base.others ?? []), user('alice.smith'), user('never.seen')],
  identities: [{ kind: 'entity' as const, name: 'Bob-Entity', policies: [] }],
};
const ids = { mount: {}, group: {}, entity: { 'e-bob': 'Bob-Entity', 'e-al': 'entity_1' } };

/** Paths that were refused, by a user or a job. */
function shown(...paths: string[]): string[] {
  const lines = paths.map((path, at) =>
    auditLine({ path, by: al, at, allowed: false, mount: path.replace(/\/.*/, '/') }),
  );
  const signIns = [
    signInLine('people', al, { path: 'auth/people/login/alice.smith' }),
    signInLine('apps', apps),
  ];
  const log = folded([...signIns, ...lines]);
  const found = withoutPeople(usageOf(log, { graph, ids }, now), log, { graph, ids });
  expect(JSON.stringify(found)).not.toMatch(/\b(?:alice\.smith|never\.seen|bob-entity)\b/i);
  return found.refused.map(({ path }) => path.replace(/person-[0-9a-f]{8}/g, 'person')).sort();
}

test('people are hidden wherever they stand: in any case, with a suffix, as an entity, and if they never signed in', () => {
  expect(
    shown(
      'kv/alice.smith',
      'kv/Alice.Smith/x',
      'kv/alice.smith-admin',
      'kv/alice.smith@corp.example',
      'kv/bob-entity',
      'kv/old_never.seen.json',
    ),
  ).toEqual(
    [
      'kv/old_person.json',
      'kv/person',
      'kv/person',
      'kv/person-admin',
      'kv/person/x',
      'kv/person@corp.example',
    ].sort(),
  );
});

test('and nothing else is', () => {
  const paths = ['auth/token/renew', 'kv/web/apps', 'kv/malice.smithy', 'kv/entity', 'sys/auth/people'];
  expect(shown(...paths)).toEqual(paths.sort());
});

test('one person has one hash, whatever the case', () => {
  const lines = ['kv/alice.smith', 'kv/ALICE.SMITH'].map((path, at) =>
    auditLine({ path, by: al, at, allowed: false, mount: 'kv/' }),
  );
  const log = folded(lines);
  const { refused } = withoutPeople(usageOf(log, { graph, ids }, now), log, { graph, ids });
  expect(new Set(refused.map(({ path }) => path)).size).toBe(1);
});

test('people are hidden in paths that others asked for, though they never signed in and are declared nowhere', () => {
  const text = rule('kv/{{identity.entity.name}}/*', ['read']);
  const given = { graph: { ...graph, policies: [{ name: 'own', text }] }, ids };
  const paths = [
    'auth/people/users/bob.jones',
    'auth/people/users/bob.jones/password',
    'auth/ldap/login/carol.doe',
    'identity/entity/name/dan.roe',
    'sys/locked-users/auth_userpass_1/unlock/eve.moe',
    'kv/fay.poe/db',
  ];
  const lines = paths.map((path, at) =>
    auditLine({ path, by: apps, at, allowed: false, mount: path.replace(/\/.*/, '/') }),
  );
  const log = folded(lines);
  const found = withoutPeople(usageOf(log, given, now), log, given);
  expect(JSON.stringify(found)).not.toMatch(/bob|jones|carol|dan\.roe|eve|fay/);
});

test.each(allLists)('the name of a $noun of $type is hidden in a path if it is that of a person', (list) => {
  const path = `auth/m/${list.read ?? list.path}`;
  expect(shown(`${path}/new.face`)).toEqual([`${path}/${namesPerson(list.noun) ? 'person' : 'new.face'}`]);
});

test.each(allLists)(
  'the name of a $noun of $type is hidden if the service has it and it is that of a person',
  (list) => {
    const { type, noun } = list;
    const node = otherRole({ type, noun, method: 'm', name: 'new.face' }, {});
    const service = { graph: { ...graph, others: [node] }, ids };
    const line = auditLine({ path: 'kv/new.face', by: al, allowed: false, mount: 'kv/' });
    const log = folded([signInLine('people', al, { path: 'auth/people/login/alice.smith' }), line]);
    const { refused } = withoutPeople(usageOf(log, service, now), log, service);
    expect(refused.some(({ path }) => path === 'kv/new.face')).toBe(!namesPerson(noun));
  },
);

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { diffProperties, withoutIgnored } from '../../../src/plugins/vault/diff.ts';
import type { Schema } from '../../../src/plugins/vault/schema.ts';
import { VaultPlugin } from '../../../src/plugins/vault/vault-plugin.ts';
import { type PropertyMap, Unknown } from '../../../src/property-value.ts';
import { ResourceSession, type TypeName, types } from './resource-session.ts';

const schema: Schema = {
  text: { type: 'string' },
  flag: { type: 'boolean' },
  count: { type: 'integer' },
  list: { type: 'list' },
  set: { type: 'set' },
  map: { type: 'map' },
  chosen: { type: 'string', computed: true },
  fixed: { type: 'string', replaces: true },
  object: { type: 'object', computed: true, fields: { a: { type: 'string' }, b: { type: 'list' } } },
  given: { type: 'string', outputOnly: true },
};

function kinds(olds: PropertyMap, news: PropertyMap): Record<string, string> {
  const { detailedDiff = {} } = diffProperties(schema, olds, news);
  return Object.fromEntries(Object.entries(detailedDiff).map(([path, { kind }]) => [path, kind]));
}

describe('differences (pulumi-terraform-bridge pkg/tfbridge/diff.go)', () => {
  const bothUpdated = { 'list[0]': 'update', 'list[1]': 'update' };
  test.each<[string, PropertyMap, PropertyMap, Record<string, string>]>([
    ['a text that changes', { text: 'a' }, { text: 'b' }, { text: 'update' }],
    ['a text that comes', {}, { text: 'b' }, { text: 'add' }],
    ['a text that goes', { text: 'a' }, {}, { text: 'delete' }],
    ['empty and absent are the same', { text: '', flag: false, count: 0, list: [], map: {} }, {}, {}],
    ['absent and empty are the same', {}, { text: '', flag: false, count: 0, set: [], map: {} }, {}],
    ['a computed property that is not given', { chosen: 'x' }, {}, {}],
    ['a computed property that is given', { chosen: 'x' }, { chosen: 'y' }, { chosen: 'update' }],
    ['an output', { given: 'x' }, {}, {}],
    ['a set in another order', { set: ['a', 'b'] }, { set: ['b', 'a', 'a'] }, {}],
    ['an element of a set that goes', { set: ['a', 'b'] }, { set: ['b'] }, { 'set[0]': 'delete' }],
    ['an element of a set that comes', { set: ['a'] }, { set: ['a', 'b'] }, { 'set[1]': 'add' }],
    ['an element of a set that changes', { set: ['a', 'b'] }, { set: ['a', 'c'] }, { 'set[1]': 'update' }],
    ['a list in another order', { list: ['a', 'b'] }, { list: ['b', 'a'] }, bothUpdated],
    ['a list that grows', { list: ['a'] }, { list: ['a', 'b'] }, { 'list[1]': 'add' }],
    ['a list that shrinks', { list: ['a', 'b'] }, { list: ['a'] }, { 'list[1]': 'delete' }],
    ['a list that comes', {}, { list: ['a'] }, { list: 'add' }],
    [
      'entries of a map',
      { map: { a: '1', 'b.c': '2', d: '3' } },
      { map: { a: '1', 'b.c': '4', e: '5', __defaults: [] } },
      { 'map["b.c"]': 'update', 'map.d': 'delete', 'map.e': 'add' },
    ],
    ['a field of an object', { object: { a: 'x' } }, { object: { a: 'y' } }, { 'object.a': 'update' }],
    ['a field that comes', { object: { a: 'x' } }, { object: { a: 'x', b: ['z'] } }, { 'object.b': 'add' }],
    [
      'a field that goes',
      { object: { a: 'x', b: ['z'] } },
      { object: { b: ['z'] } },
      { 'object.a': 'delete' },
    ],
    ['a property that is fixed', { fixed: 'a' }, { fixed: 'b' }, { fixed: 'update-replace' }],
    ['a fixed property that goes', { fixed: 'a' }, {}, { fixed: 'delete-replace' }],
    ['an unknown text', { text: 'a' }, { text: Unknown.value }, { text: 'update' }],
    ['an unknown fixed property', { fixed: 'a' }, { fixed: Unknown.value }, { fixed: 'update-replace' }],
    ['an unknown element', { list: ['a'] }, { list: [Unknown.value] }, { list: 'update' }],
    ['an unknown field', { object: { a: 'x' } }, { object: { a: Unknown.value } }, { 'object.a': 'update' }],
  ])('%s', (_, olds, news, expected) => {
    expect(kinds(olds, news)).toEqual(expected);
  });

  const plain = fc.record(
    {
      text: fc.string(),
      flag: fc.boolean(),
      count: fc.integer(),
      list: fc.array(fc.string()),
      set: fc.array(fc.string()),
      map: fc.dictionary(fc.string(), fc.string()),
      chosen: fc.string(),
    },
    { requiredKeys: [] },
  );

  test('nothing differs from itself', () => {
    fc.assert(fc.property(plain, (properties) => expect(kinds(properties, properties)).toEqual({})));
  });

  test('a set never differs from itself in another order', () => {
    const shuffled = fc
      .array(fc.string())
      .chain((set) =>
        fc.tuple(
          fc.constant(set),
          fc.shuffledSubarray(set, { minLength: set.length, maxLength: set.length }),
        ),
      );
    fc.assert(fc.property(shuffled, ([a, b]) => expect(kinds({ set: a }, { set: b })).toEqual({})));
  });

  test('what is ignored never differs', () => {
    const every = Object.keys(schema);
    fc.assert(
      fc.property(plain, plain, (olds, news) => {
        expect(kinds(olds, withoutIgnored(schema, olds, news, every))).toEqual({});
      }),
    );
  });
});

describe('ignored changes', () => {
  test.each<[string, PropertyMap]>([
    ['text', { text: 'old', map: { a: 'new', b: 'new' }, list: ['new', 'new'] }],
    ['map.a', { text: 'new', map: { a: 'old', b: 'new' }, list: ['new', 'new'] }],
    ['map["b"]', { text: 'new', map: { a: 'new' }, list: ['new', 'new'] }],
    ['list[0]', { text: 'new', map: { a: 'new', b: 'new' }, list: ['old', 'new'] }],
    ['*', { text: 'old', map: { a: 'old' }, list: ['old'] }],
  ])('%s keeps what the state says', (path, expected) => {
    const olds = { text: 'old', map: { a: 'old' }, list: ['old'] };
    const news = { text: 'new', map: { a: 'new', b: 'new' }, list: ['new', 'new'] };
    expect(withoutIgnored(schema, olds, news, [path])).toEqual(expected);
    expect(news.text).toBe('new');
  });
});

describe('replacements', () => {
  const mount = { path: 'oidc', type: 'oidc', oidcDiscoveryUrl: 'https://x' };
  const role = { backend: 'oidc', roleName: 'r', roleType: 'oidc', userClaim: 'sub' };
  const alias = { name: 'a', mountAccessor: 'b', canonicalId: 'c' };
  const elsewhere = { path: 'x', disableRemount: true };
  test.each<[string, TypeName, PropertyMap, PropertyMap, string[], boolean]>([
    ['a mount’s type', 'mount', mount, { type: 'jwt' }, ['type'], true],
    ['a mount’s path: a move', 'mount', mount, { path: 'x' }, [], false],
    ['a mount’s path, moves being off', 'mount', mount, elsewhere, ['path'], false],
    ['a role’s type', 'role', role, { roleType: 'jwt' }, ['roleType'], true],
    ['a role’s name', 'role', role, { roleName: 'q' }, ['roleName'], false],
    ['a role’s mount', 'role', role, { backend: 'x' }, ['backend'], false],
    ['a role’s mount that is not known yet', 'role', role, { backend: Unknown.value }, ['backend'], true],
    ['a named group’s type', 'group', { name: 'g', type: 'internal' }, { type: 'external' }, ['type'], true],
    ['an autonamed group’s type', 'group', { type: 'internal' }, { type: 'external' }, ['type'], false],
    ['a policy’s name', 'policy', { name: 'a', policy: '' }, { name: 'b' }, ['name'], true],
    ['a namespace', 'alias', alias, { namespace: 'n' }, ['namespace'], false],
    ['nothing of an alias', 'alias', alias, { name: 'x', mountAccessor: 'y', canonicalId: 'z' }, [], false],
  ])('%s', async (_, type, before, change, replaces, deleteBeforeReplace) => {
    const session = new ResourceSession(new VaultPlugin({}), types[type]);
    session.inputs = await session.checked(before);
    session.state = session.inputs;
    await expect(session.diff({ ...before, ...change })).resolves.toMatchObject({
      changes: 'some',
      replaces,
      deleteBeforeReplace,
    });
  });
});

test('slashes around a role’s mount are no difference (StateFunc of vault/resource_jwt_auth_backend_role.go)', async () => {
  const session = new ResourceSession(new VaultPlugin({}), types.role);
  session.state = await session.checked({ backend: 'oidc', roleName: 'r', userClaim: 'sub' });
  const after = { backend: '/oidc/', roleName: 'r', userClaim: 'sub' };
  await expect(session.diff(after)).resolves.toMatchObject({ changes: 'none' });
});

test('a resource whose id stays is deleted first, also where the program alone asks for its replacement', async () => {
  const diff = await new VaultPlugin({}).diff({
    urn: 'urn:pulumi:dev::test::vault:index/policy:Policy::reader',
    id: 'reader',
    oldInputs: {},
    ignoreChanges: [],
    olds: { id: 'reader', name: 'reader', policy: 'a' },
    news: { name: 'reader', policy: 'b', __defaults: [] },
  });
  expect(diff).toMatchObject({ replaces: [], diffs: ['policy'], deleteBeforeReplace: true });
});

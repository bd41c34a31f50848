import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type PropertyMap, ResourceReference, Secret, Unknown } from '../../../engine/src/property-value.ts';
import { propertyChanges } from '../../src/deployment/property-changes.ts';
import { hidden, unknown } from '../../src/deployment/shown-value.ts';
import { resource, roleType, step, update } from '../fake-engine.ts';

const changes = (from: PropertyMap, to: PropertyMap, fields = {}) =>
  propertyChanges(update(roleType, 'reader', from, to, fields));

describe('propertyChanges', () => {
  const added = (path: string, value: unknown) => ({ path, kind: 'added', new: value });
  const removed = (path: string, old: unknown) => ({ path, kind: 'removed', old });
  const changed = (path: string, old: unknown, value: unknown) => ({
    path,
    kind: 'changed',
    old,
    new: value,
  });
  const entries = (path: string, one: string, other: string) => ({
    path,
    kind: 'entries',
    added: [one],
    removed: [other],
  });
  const [ab, ba, ca] = ['ab', 'ba', 'ca'].map((names) => ({ policies: names.split('') })) as PropertyMap[];
  const items = (...values: number[]) => ({ items: values.map((a) => ({ a })) });
  const oidc = { backend: new ResourceReference('urn:x', 'oidc') };

  test.each<[string, PropertyMap, PropertyMap, ...object[]]>([
    ['a property that is new', {}, { a: 1 }, added('a', 1)],
    ['a property that goes', { a: 'x' }, {}, removed('a', 'x')],
    ['a property that changes', { a: 1 }, { a: 2 }, changed('a', 1, 2)],
    ['nothing', { a: { b: [1, { c: null }] } }, { a: { b: [1, { c: null }] } }],
    ['null for what is not there', { a: null }, {}],
    ['a property of an object', { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, changed('a.b', 1, 3)],
    ['a name that is no identifier', { a: { '/a.b': 1 } }, { a: { '/a.b': 2 } }, changed('a["/a.b"]', 1, 2)],
    ['entries of a list, read as a set', ab!, ca!, entries('policies', 'c', 'b')],
    ['a list in another order', ab!, ba!, changed('policies', ['a', 'b'], ['b', 'a'])],
    [
      'objects in a list',
      items(1, 2),
      items(1, 3, 4),
      changed('items[1].a', 2, 3),
      added('items[2]', { a: 4 }),
    ],
    ['a value that is not known yet', { a: 'x' }, { a: Unknown.value }, changed('a', 'x', unknown)],
    ['a reference', { backend: 'jwt' }, oidc, changed('backend', 'jwt', 'oidc')],
  ])('tells of %s', (_, from, to, ...expected) => {
    expect(changes(from, to)).toEqual(expected.map((change) => ({ ...change, replaces: false })));
  });

  test.each<[string, PropertyMap, PropertyMap]>([
    ['a secret that changes', { key: new Secret('old-key') }, { key: new Secret('new-key') }],
    ['a plain value that becomes secret', { key: 'old-key' }, { key: new Secret('new-key') }],
    ['a secret that becomes plain', { key: new Secret('old-key') }, { key: 'new-key' }],
    ['a secret in a list', { keys: ['old-key'] }, { keys: [new Secret('new-key')] }],
    ['a secret in an object', { c: { key: new Secret('old-key') } }, { c: { key: 'new-key' } }],
    ['an object in a list with a secret', { l: [{ k: 'old-key' }] }, { l: [{ k: new Secret('new-key') }] }],
    ['a secret that is new', {}, { key: new Secret('new-key') }],
    ['a secret that goes', { key: new Secret('old-key') }, {}],
  ])('hides %s', (_, from, to) => {
    const found = changes(from, to);
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toMatch(/old-key|new-key/);
  });

  test('a secret that stays the same is no change', () => {
    expect(changes({ key: new Secret('k') }, { key: 'k' })).toEqual([]);
  });

  test('never shows what is inside a secret', () => {
    const sensitive = fc.constant('S3CRET').map((text) => new Secret(text));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        sensitive,
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value'), { noNullPrototype: true }),
      ),
    }));
    const map = fc.dictionary(fc.string(), value, { noNullPrototype: true }) as fc.Arbitrary<PropertyMap>;
    fc.assert(
      fc.property(map, map, (from, to) => {
        expect(JSON.stringify(changes(from, to))).not.toContain('S3CRET');
      }),
    );
  });

  test('shows only the properties that the plugin names', () => {
    const found = changes({ a: 1, b: 1 }, { a: 2, b: 2 }, { diffs: ['b'] });
    expect(found.map(({ path }) => path)).toEqual(['b']);
  });

  test('takes the first name of a path that the plugin gives', () => {
    const detailedDiff = {
      'policies[0]': { kind: 'update', inputDiff: true },
      '["a.b"].c': { kind: 'add', inputDiff: true },
    };
    const found = changes(
      { policies: ['a'], 'a.b': {} },
      { policies: ['b'], 'a.b': { c: 1 } },
      { detailedDiff },
    );
    expect(found.map(({ path }) => path)).toEqual(['a.b.c', 'policies']);
  });

  test('marks the properties that ask for a replacement', () => {
    const fields = {
      diffs: ['path', 'type', 'ttl'],
      replaceKeys: ['type'],
      detailedDiff: { path: { kind: 'update-replace', inputDiff: true } },
    };
    const found = changes({ path: 'a', type: 'jwt', ttl: 1 }, { path: 'b', type: 'oidc', ttl: 2 }, fields);
    expect(found.map(({ path, replaces }) => [path, replaces])).toEqual([
      ['path', true],
      ['ttl', false],
      ['type', true],
    ]);
  });

  test('compares with what the service has where the program says the same as before', () => {
    const drifted = update(roleType, 'reader', { ttl: 60 }, { ttl: 60 }, { diffs: ['ttl'] });
    drifted.oldState = resource(roleType, 'reader', { inputs: { ttl: 60 }, outputs: { ttl: 90 } });
    expect(propertyChanges(drifted)).toEqual([
      { path: 'ttl', kind: 'changed', old: 90, new: 60, replaces: false },
    ]);
  });

  test('says so when only the plugin sees a difference', () => {
    expect(changes({ a: 1 }, { a: 1 }, { diffs: ['a'] })).toEqual([
      { path: 'a', kind: 'differs', replaces: false },
    ]);
  });

  test.each([
    ['a secret', new Secret('[secret]')],
    ['a secret in an object', { key: new Secret('[secret]') }],
  ])('does not say that the service differs in %s that the CLI conceals', (_, value) => {
    expect(changes({ a: value }, { a: value }, { diffs: ['a'] })).toEqual([
      { path: 'a', kind: 'changed', old: hidden, new: hidden, replaces: false },
    ]);
  });

  test('says that the service differs in a secret whose value is known and the same', () => {
    const key = new Secret('hush');
    expect(changes({ a: key }, { a: key }, { diffs: ['a'] })).toEqual([
      { path: 'a', kind: 'differs', replaces: false },
    ]);
  });

  test('leaves out what engines and plugins keep for themselves', () => {
    expect(changes({ __defaults: [] }, { __defaults: ['a'] })).toEqual([]);
  });

  test('of a refresh compares what was known with what was read', () => {
    const refreshed = step(
      'refresh',
      resource(roleType, 'reader', { outputs: { ttl: 1, key: new Secret('k') } }),
      { newState: resource(roleType, 'reader', { outputs: { ttl: 2, key: new Secret('other') } }) },
    );
    expect(propertyChanges(refreshed)).toEqual([
      { path: 'key', kind: 'changed', old: hidden, new: hidden, replaces: false },
      { path: 'ttl', kind: 'changed', old: 1, new: 2, replaces: false },
    ]);
  });
});

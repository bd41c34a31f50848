import { expect, test } from '@jest/globals';
import { metadataProblem } from '../../../src/graph/values/metadata.ts';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 'v']));

test.each([
  ['letters, digits and signs', { 'aZ0=/+_-': 'x' }],
  ['a name of 128 letters', { ['x'.repeat(128)]: 'y' }],
  ['a value of 512 bytes', { x: 'é'.repeat(256) }],
  ['a value that is empty', { x: '' }],
  ['64 pairs', many(64)],
])('an alias takes %s', (_, metadata) => {
  expect(metadataProblem('alias', metadata)).toBeUndefined();
});

test.each([
  [
    'a name with a blank',
    { 'x y': 'z' },
    'invalid alias metadata: failed to load metadata pair ("x y", "z"): key contains invalid characters',
  ],
  ['a name with a dot', { 'x.y': 'z' }, /key contains invalid characters$/],
  ['a name that is empty', { '': 'z' }, /key cannot be blank$/],
  ['a name of 129 letters', { ['x'.repeat(129)]: 'y' }, /key is too long \(limit: 128 characters\)$/],
  ['a value of 514 bytes', { x: 'é'.repeat(257) }, /value is too long \(limit: 512 characters\)$/],
  ['65 pairs', many(65), 'invalid alias metadata: metadata cannot contain more than 64 key/value pairs'],
])('an alias does not take %s', (_, metadata, problem) => {
  const found = metadataProblem('alias', metadata);
  expect(found).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
});

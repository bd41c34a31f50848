import { describe, expect, test } from '@jest/globals';
import { united } from '../../../src/graph/policies/acl.ts';
import type { PathRule } from '../../../src/graph/policies/parse-policy.ts';

// openbao/openbao vault/acl.go, `NewACL`
describe('rules for the same path are united', () => {
  const one = (fields: Partial<PathRule>): PathRule => ({ path: 'a', capabilities: ['read'], ...fields });
  const both = (first: Partial<PathRule>, second: Partial<PathRule>) =>
    united(united(undefined, one(first)), one(second));

  test.each<[string, Partial<PathRule>, Partial<PathRule>, object]>([
    ['capabilities', {}, { capabilities: ['list', 'read'] }, { capabilities: new Set(['read', 'list']) }],
    [
      'what is required',
      { requiredParameters: ['x'] },
      { requiredParameters: ['y'] },
      { requiredParameters: ['x', 'y'] },
    ],
    ['what is required of one', { requiredParameters: ['x'] }, {}, { requiredParameters: ['x'] }],
    ['the later end', { expires: 1n }, { expires: 2n }, { expires: 2n }],
    ['the later end, the other way round', { expires: 2n }, { expires: 1n }, { expires: 2n }],
    ['no end', { expires: 1n }, {}, { expires: undefined }],
    ['no end, the other way round', {}, { expires: 1n }, { expires: undefined }],
    ['a wrapping of one', { minWrapping: 60 }, {}, { minWrapping: 60 }],
    ['the lesser minimum', { minWrapping: 60 }, { minWrapping: 30 }, { minWrapping: 30 }],
    ['a wrapping of the other', {}, { maxWrapping: 60 }, { maxWrapping: 60 }],
    ['the lesser maximum', { maxWrapping: 30 }, { maxWrapping: 60 }, { maxWrapping: 30 }],
    ['the same limits', { otherLimits: 'x' }, { otherLimits: 'x' }, { otherLimits: 'x' }],
    ['different limits', { otherLimits: 'y' }, { otherLimits: 'x' }, { otherLimits: 'x\ny' }],
    ['a limit of one', { otherLimits: 'x' }, {}, { otherLimits: '\nx' }],
    [
      'values',
      { allowedParameters: { x: [1] } },
      { allowedParameters: { x: [2], y: [] } },
      { allowedParameters: { x: [2, 1], y: [] } },
    ],
    [
      'any value of one',
      { deniedParameters: { x: [] } },
      { deniedParameters: { x: [2] } },
      { deniedParameters: { x: [] } },
    ],
    [
      'any value of the other',
      { deniedParameters: { x: [1] } },
      { deniedParameters: { x: [] } },
      { deniedParameters: { x: [] } },
    ],
    ['fields of one', { allowedParameters: { x: [1] } }, {}, { allowedParameters: { x: [1] } }],
    ['fields of the other', {}, { allowedParameters: { x: [1] } }, { allowedParameters: { x: [1] } }],
  ])('%s', (_, first, second, expected) => {
    expect(both(first, second)).toMatchObject(expected);
  });

  test.each<[string, Partial<PathRule>, Partial<PathRule>, object]>([
    ['before', { capabilities: ['deny'], expires: 1n }, { otherLimits: 'x' }, { expires: 1n }],
    [
      'after, with its own end',
      { expires: 2n, otherLimits: 'x' },
      { capabilities: ['deny'], expires: 1n },
      { expires: 1n },
    ],
    [
      'twice, until the later end',
      { capabilities: ['deny'], expires: 2n },
      { capabilities: ['deny'], expires: 1n },
      { expires: 2n },
    ],
  ])('a denial wins, %s', (_, first, second, expected) => {
    expect(both(first, second)).toEqual({ path: 'a', capabilities: new Set(['deny']), ...expected });
  });
});

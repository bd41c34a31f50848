import { expect, test } from '@jest/globals';
import { boundsOf } from '../../../src/graph/nodes/bounds.ts';

test('a token type that a service answers for a role without one is none', () => {
  expect(boundsOf({ token_type: 'default' })).toEqual({ bounds: {} });
  expect(boundsOf({ token_type: 'batch' })).toEqual({ bounds: {}, lifetime: { token_type: 'batch' } });
});

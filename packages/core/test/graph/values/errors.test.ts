import { describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../../src/graph/values/errors.ts';

describe('GatehouseError', () => {
  test('says where, what, what was given, what is allowed and the fix, in that order', () => {
    const error = new GatehouseError({
      code: 'duration_invalid',
      where: 'gatehouse:providers[0].roles[0].ttl',
      what: 'this is no duration',
      given: '"soon"',
      allowed: 'a whole number of seconds, or 90m, 1h',
      fix: 'write 1h',
    });
    expect(error.message).toBe(
      'gatehouse:providers[0].roles[0].ttl: this is no duration\n  given: "soon"\n  allowed: a whole number of seconds, or 90m, 1h\n  write 1h',
    );
    expect(error.code).toBe('duration_invalid');
  });
});

import { describe, expect, test } from '@jest/globals';
import { projectedToken } from '../../providers/projected-token.ts';

describe('projectedToken (docs/inside/specification.md B-4)', () => {
  test('is a volume with a token of the audience, which lives an hour', () => {
    expect(projectedToken({ audience: 'secrets' })).toEqual({
      name: 'gatehouse-token',
      projected: {
        sources: [{ serviceAccountToken: { audience: 'secrets', expirationSeconds: 3_600, path: 'token' } }],
      },
    });
  });

  test('takes another name and as little as 600 seconds', () => {
    expect(projectedToken({ name: 'login', audience: 'a', expirationSeconds: 600 })).toMatchObject({
      name: 'login',
      projected: { sources: [{ serviceAccountToken: { expirationSeconds: 600 } }] },
    });
  });

  test.each([599, 0, -1])('refuses %i seconds', (expirationSeconds) => {
    expect(() => projectedToken({ audience: 'a', expirationSeconds })).toThrow(
      expect.objectContaining({ code: 'token_expiration_invalid' }),
    );
  });

  test.each([600.5, Number.NaN])('refuses %d seconds, which are not whole', (expirationSeconds) => {
    expect(() => projectedToken({ audience: 'a', expirationSeconds })).toThrow(
      expect.objectContaining({ code: 'token_expiration_invalid' }),
    );
  });
});

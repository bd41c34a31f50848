import { describe, expect, test } from '@jest/globals';
import { hostedIdentityPlatform } from '../../core/model/kinds/hosted-identity-platform.ts';
import { givenEnvironment, parsedProvider, problemsOf } from '../core/model/environment-fixture.ts';

describe('Errors', () => {
  test('Errors, custom message created when 100 already exist: an error before anything is sent', () => {
    const messages = Array.from({ length: 101 }, (_, index) => ({
      title: `Message ${index}`,
      message: 'text',
      startTime: '2026-12-01T00:00:00Z',
    }));
    expect(problemsOf(givenEnvironment([], { messages }))).toEqual([
      'gatehouse:messages: a namespace holds at most 100 messages',
    ]);
  });

  test('Errors, signature errors with a provider: the algorithm is held to RS256', () => {
    const given = parsedProvider('hosted_identity_platform');
    expect(hostedIdentityPlatform.config(given).jwtSupportedAlgs).toEqual(['RS256']);
  });
});

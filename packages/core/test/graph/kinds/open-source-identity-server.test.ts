import { describe, expect, test } from '@jest/globals';
import { problemsOfProvider } from '../../environment/environment-fixture.ts';

const kind = 'open_source_identity_server';

describe('openSourceIdentityServer (docs/inside/specification.md B-2, sixth row)', () => {
  test.each(['main/x', 'my realm', ''])('refuses the realm %j', (realm) => {
    expect(problemsOfProvider(kind, { realm })).toEqual([
      'realm: a realm is a name without slashes and blanks',
    ]);
  });
});

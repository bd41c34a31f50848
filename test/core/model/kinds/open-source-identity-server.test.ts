import { describe, expect, test } from '@jest/globals';
import { givenEnvironment, givenProvider, problemsOf } from '../environment-fixture.ts';

const kind = 'open_source_identity_server';

describe('openSourceIdentityServer (interface.md B-2, sixth row)', () => {
  test.each(['main/x', 'my realm', ''])('refuses the realm %j', (realm) => {
    expect(problemsOf(givenEnvironment([givenProvider(kind, { realm })]))).toEqual([
      'gatehouse:providers[0].realm: a realm is a name without slashes and blanks',
    ]);
  });
});

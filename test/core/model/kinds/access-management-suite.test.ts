import { describe, expect, test } from '@jest/globals';
import { accessManagementSuite } from '../../../../core/model/kinds/access-management-suite.ts';
import { givenEnvironment, givenProvider, parsedProvider, problemsOf } from '../environment-fixture.ts';

const kind = 'access_management_suite';

describe('accessManagementSuite (interface.md B-2, third row)', () => {
  test('discovers at the suite’s oauth2 base path, whatever slash its address ends in', () => {
    const given = parsedProvider(kind, { authority: 'https://am.example.com/am/' });
    expect(accessManagementSuite.config(given).oidcDiscoveryUrl).toBe('https://am.example.com/am/oauth2');
  });

  test.each([[undefined], [[]]])('refuses the scopes %j: the client’s own are needed', (scopes) => {
    const [problem, ...more] = problemsOf(givenEnvironment([givenProvider(kind, { scopes })]));
    expect(problem).toMatch(/^gatehouse:providers\[0\]\.scopes: /);
    expect(more).toEqual([]);
  });
});

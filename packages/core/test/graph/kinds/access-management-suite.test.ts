import { describe, expect, test } from '@jest/globals';
import { accessManagementSuite } from '../../../src/graph/kinds/access-management-suite.ts';
import { parsedProvider, problemsOfProvider } from '../../environment/environment-fixture.ts';

const kind = 'access_management_suite';

describe('accessManagementSuite (docs/inside/specification.md B-2, third row)', () => {
  test('discovers at the suite’s oauth2 base path, whatever slash its address ends in', () => {
    const given = parsedProvider(kind, { authority: 'https://am.example.com/am/' });
    expect(accessManagementSuite.config(given).oidcDiscoveryUrl).toBe('https://am.example.com/am/oauth2');
  });

  test.each([[undefined], [[]]])('refuses the scopes %j: the client’s own are needed', (scopes) => {
    const [problem, ...rest] = problemsOfProvider(kind, { scopes });
    expect(problem).toMatch(/^scopes: /);
    expect(rest).toEqual([]);
  });

  test.each([
    ['alpha', 'https://am.example.com/am/oauth2/realms/root/realms/alpha'],
    ['staff/contractors', 'https://am.example.com/am/oauth2/realms/root/realms/staff/realms/contractors'],
  ])('discovers the realm %s below the top-level one', (realm, url) => {
    expect(accessManagementSuite.config(parsedProvider(kind, { realm })).oidcDiscoveryUrl).toBe(url);
    expect(accessManagementSuite.settingsIn(url)).toEqual({ authority: 'https://am.example.com/am', realm });
  });

  test('keeps the port that the suite writes into its issuer', () => {
    const given = parsedProvider(kind, { authority: 'https://am.example.com:443/am', realm: 'alpha' });
    expect(accessManagementSuite.config(given).oidcDiscoveryUrl).toBe(
      'https://am.example.com:443/am/oauth2/realms/root/realms/alpha',
    );
  });

  test.each([
    [
      'root',
      'give the names of realms alone, without `root` and `realms`; leave it out for the top-level realm',
    ],
    [
      'a/realms/b',
      'give the names of realms alone, without `root` and `realms`; leave it out for the top-level realm',
    ],
    ['/alpha', 'a realm is one name, or several with slashes between them'],
  ])('refuses the realm %s', (realm, problem) => {
    expect(problemsOfProvider(kind, { realm })).toEqual([`realm: ${problem}`]);
  });

  test('refuses an issuer in the place of the suite', () => {
    const authority = 'https://am.example.com/am/oauth2/realms/root/realms/alpha';
    expect(problemsOfProvider(kind, { authority })).toEqual([
      expect.stringMatching(/^authority: give the base URL of the suite, without/),
    ]);
  });
});

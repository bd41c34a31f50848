import { describe, expect, test } from '@jest/globals';
import { declareProvider } from '../../../src/environment/declared.ts';
import { workspaceSuite } from '../../../src/graph/kinds/workspace-suite.ts';
import { parsedProvider, problemsOfProvider } from '../../environment/environment-fixture.ts';

const kind = 'workspace_suite';
const directory = { serviceAccountFile: '/etc/key.json', adminImpersonate: 'admin@example.com' };
const service = { address: 'https://secrets.example.com', dialect: 'vault' } as const;
const problems = (settings: Record<string, unknown>) => problemsOfProvider(kind, settings);

describe('workspaceSuite (docs/inside/specification.md B-3; openbao/openbao builtin/credential/jwt/provider_gsuite.go)', () => {
  test('looks groups up, and nothing else, when a directory is given', () => {
    const given = parsedProvider(kind, { directory });
    expect(workspaceSuite.config(given).providerConfig).toEqual({
      provider: 'workspace_suite',
      suiteServiceAccount: '/etc/key.json',
      suiteAdminImpersonate: 'admin@example.com',
      fetchGroups: true,
      fetchUserInfo: false,
      groupsRecurseMaxDepth: 0,
    });
    expect(workspaceSuite.role(given).groupsClaim).toBe('groups');
  });

  test('looks user info up by its custom schemas', () => {
    const fields = { fetchGroups: false, fetchUserInfo: true, userCustomSchemas: ['Education'] };
    const given = parsedProvider(kind, { directory: { ...directory, ...fields } });
    expect(workspaceSuite.config(given).providerConfig).toMatchObject(fields);
    expect(workspaceSuite.role(given)).not.toHaveProperty('groupsClaim');
  });

  test.each([['example.com'], [['example.com', 'example.org']]])(
    'lets people of the domain %j in, whatever a role binds besides',
    (hostedDomain) => {
      const roles = [{ name: 'reader', boundClaims: { locale: 'de' } }];
      const { roles: declared } = declareProvider(parsedProvider(kind, { hostedDomain, roles }), service);
      expect(declared[0]?.boundClaims).toEqual({ locale: 'de', hd: hostedDomain });
    },
  );

  test('names the domain that all of its roles bind when it is adopted', () => {
    const given = parsedProvider(kind, {
      hostedDomain: 'example.com',
      roles: [{ name: 'a' }, { name: 'b' }],
    });
    const { method, roles } = declareProvider(given, service);
    expect(workspaceSuite.adopt(method.config, roles)).toEqual({ hostedDomain: 'example.com' });
    const [first, second] = roles;
    expect(
      workspaceSuite.adopt(method.config, [first!, { ...second!, boundClaims: { hd: 'x.example' } }]),
    ).toEqual({});
  });

  test.each(['sub', 'email'])('lets people be named by %s', (userClaim) => {
    expect(problems({ directory, roles: [{ name: 'reader', userClaim }] })).toEqual([]);
  });

  test('lets people be named by any claim where nothing is looked up', () => {
    const off = { ...directory, fetchGroups: false };
    expect(problems({ directory: off, roles: [{ name: 'reader', userClaim: 'hd' }] })).toEqual([]);
  });

  const refused: Record<string, Record<string, unknown>> = {
    'roles[0].userClaim: the service looks up groups or user info by this claim; set sub or email, not hd': {
      directory,
      roles: [{ name: 'reader', userClaim: 'hd' }],
    },
    'hostedDomain: must be a domain, for example example.com': { hostedDomain: 'admin@example.com' },
    'roles[0].boundClaims.hd: hostedDomain already binds this claim; set one of the two': {
      hostedDomain: 'example.com',
      roles: [{ name: 'reader', boundClaims: { hd: 'example.org' } }],
    },
    'directory.userCustomSchemas: userCustomSchemas is required when fetchUserInfo is true': {
      directory: { ...directory, fetchUserInfo: true },
    },
    'directory.adminImpersonate: Invalid email address': {
      directory: { ...directory, adminImpersonate: 'admin' },
    },
    'directory.groupsRecurseMaxDepth: Too small: expected number to be >=0': {
      directory: { ...directory, groupsRecurseMaxDepth: -1 },
    },
  };
  test.each(Object.entries(refused))('refuses %s', (problem, settings) => {
    expect(problems(settings)).toEqual([problem]);
  });
});

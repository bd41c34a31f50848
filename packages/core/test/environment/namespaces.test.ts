import { describe, expect, test } from '@jest/globals';
import { declare } from '../../src/environment/declared.ts';
import { parseEnvironment } from '../../src/environment/environment.ts';
import { byNamespace } from '../../src/environment/namespaces.ts';
import { keyPem } from '../pems.ts';

const service = { address: 'https://secrets.example.com:8200', namespace: 'platform' };
const provider = (settings: object = {}) => ({
  kind: 'jwt',
  name: 'ci',
  issuer: 'https://ci.example.com',
  publicKeys: [keyPem],
  roles: [{ name: 'build', boundAudiences: 'secrets', userClaim: 'sub', policies: ['read'] }],
  ...settings,
});
const policy = (fields: object = {}) => ({ name: 'read', policy: 'path "a" {}', ...fields });
const shop = { namespace: 'shop' };

const problems = (given: object): string => {
  try {
    parseEnvironment({ service, ...given });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('byNamespace', () => {
  const environment = parseEnvironment({
    service,
    namespaces: [{ path: 'shop/web' }, { path: 'shop' }],
    providers: [provider(), provider(shop), provider({ namespace: 'shop/web', path: 'other' })],
    policies: [policy(), policy(shop), policy({ namespace: 'shop/web' })],
    promises: [{ only: ['role build'], can: ['read'], on: 'a', because: 'so' }],
  });
  const all = byNamespace(environment);

  test('gives each namespace its own parts, the environment’s own first', () => {
    expect(
      all.map(({ path, environment: { service, providers } }) => [
        path,
        service.namespace,
        providers[0]?.name,
      ]),
    ).toEqual([
      ['', 'platform', 'ci'],
      ['shop', 'platform/shop', 'shop/ci'],
      ['shop/web', 'platform/shop/web', 'shop/web/ci'],
    ]);
  });

  test('leaves the path of an auth method as it is in its namespace', () => {
    expect(all.map((one) => declare(one.environment).methods[0]?.path)).toEqual(['ci', 'ci', 'other']);
  });

  test('leaves promises to the environment’s own namespace', () => {
    expect(all.map(({ environment: { promises } }) => promises.length)).toEqual([1, 0, 0]);
  });

  test('does not mix namespaces where the whole environment is declared', () => {
    expect(declare(environment).methods).toHaveLength(1);
  });

  test('has the namespaces that hold others, listed or not', () => {
    const inner = parseEnvironment({ service, namespaces: [{ path: 'a/b' }] });
    expect(byNamespace(inner).map(({ path }) => path)).toEqual(['', 'a', 'a/b']);
  });
});

describe('an environment with namespaces', () => {
  const namespaces = [{ path: 'shop' }, { path: 'bank' }];

  test('may have one name in each', () => {
    const given = { namespaces, providers: [provider(), provider(shop)], policies: [policy(), policy(shop)] };
    expect(problems(given)).toBe('');
  });

  test('may not have one name twice in one', () => {
    expect(problems({ namespaces, policies: [policy(shop), policy(shop)] })).toContain('declared twice');
  });

  test('names only namespaces that it lists', () => {
    expect(problems({ namespaces, policies: [policy({ namespace: 'shopp' })] })).toMatch(
      /policies\[0\]\.namespace.*does not list "shopp".*shop/,
    );
  });

  test('lists each once', () => {
    expect(problems({ namespaces: [{ path: 'shop' }, { path: 'shop' }] })).toContain('listed twice');
  });

  test('gives no policy of another namespace', () => {
    expect(problems({ namespaces, providers: [provider(shop)], policies: [policy()] })).toContain(
      'the policy read is declared in the environment’s own namespace, and gives nothing in namespace shop',
    );
  });

  test('puts no group of another namespace into a group', () => {
    const groups = [
      { name: 'all', members: ['few'] },
      { name: 'few', members: ['all'], ...shop },
    ];
    expect(problems({ namespaces, groups })).toContain('no group is named "few"');
  });

  test('promises nothing in another namespace', () => {
    const promises = [{ only: ['role build'], can: ['read'], on: 'shop/secret/*', because: 'so' }];
    expect(problems({ namespaces, providers: [provider()], policies: [policy()], promises })).toContain(
      'this path is in namespace shop',
    );
  });

  test('keeps secrets below namespace and name', () => {
    const people = {
      kind: 'oidc',
      name: 'staff',
      issuer: 'https://id.example.com',
      clientId: 'a',
      ...shop,
      roles: [{ name: 'reader', userClaim: 'sub' }],
    };
    expect(problems({ namespaces, providers: [people], clientSecrets: ['shop/staff'] })).toBe('');
    expect(problems({ namespaces, providers: [people], clientSecrets: ['staff'] })).toContain('shop/staff');
  });
});

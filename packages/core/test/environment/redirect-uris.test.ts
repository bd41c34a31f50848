import { describe, expect, test } from '@jest/globals';
import { redirectUris } from '../../src/environment/redirect-uris.ts';

const address = 'https://secrets.example.com:8200';
const cli = 'http://localhost:8250/oidc/callback';

describe('redirectUris (docs/inside/specification.md B-2, "Redirect URIs")', () => {
  test.each([
    ['vault', 'https://secrets.example.com:8200/ui/vault/auth/oidc/oidc/callback'],
    ['neutral', 'https://secrets.example.com:8200/ui/secrets/auth/oidc/oidc/callback'],
  ] as const)('are the command line’s and the pages’, in the %s dialect', (dialect, pages) => {
    expect(redirectUris({ address, dialect }, 'oidc')).toEqual([cli, pages]);
  });

  test('name the address of the pages where it is another one, and the path of the method', () => {
    const service = { address, uiAddress: 'https://ui.example.com', dialect: 'vault' } as const;
    expect(redirectUris(service, 'team/staff')).toEqual([
      cli,
      'https://ui.example.com/ui/vault/auth/team/staff/oidc/callback',
    ]);
  });

  test('name the namespace where it does not travel in the state', () => {
    const service = { address, dialect: 'vault', namespace: 'a/b' } as const;
    const pages = 'https://secrets.example.com:8200/ui/vault/auth/staff/oidc/callback';
    expect(redirectUris(service, 'staff')).toEqual([cli, pages]);
    expect(redirectUris(service, 'staff', false)).toEqual([cli, `${pages}?namespace=a%2Fb`]);
  });

  test('are three where the pages of runs are known', () => {
    const service = { address, platformAddress: 'https://gatehouse.example.com', dialect: 'vault' } as const;
    expect(redirectUris(service, 'staff').at(-1)).toBe('https://gatehouse.example.com/ui/sign-in/callback');
  });
});

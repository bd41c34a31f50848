import { describe, expect, test } from '@jest/globals';
import { configFields } from '../../../src/graph/resources/auth-method.ts';
import { address, addressRanges, issuer, keySet, methodPath } from '../../../src/graph/resources/checks.ts';
import { certificatePem } from '../../pems.ts';

describe('an issuer', () => {
  test.each(['https://id.example.com', 'http://127.0.0.1:8080/realms/a/'])('can be %s', (url) => {
    expect(issuer.problem(url)).toBeUndefined();
  });

  test.each([
    ['https://user:word@id.example.com', /user and a password/],
    ['https://user@id.example.com', /user and a password/],
    ['https://id.example.com?a=b', /no query/],
    ['https://id.example.com/#a', /no fragment/],
    ['https://id.example.com/.well-known/openid-configuration', /without its \/\.well-known/],
    ['id.example.com', /http or https/],
    ['ftp://id.example.com', /http or https/],
    ['http:id.example.com', /http or https/],
    ['', /http or https/],
  ])('cannot be %s', (url, problem) => {
    expect(issuer.problem(url)).toMatch(problem);
  });

  test('is never repeated with its password', () => {
    expect(issuer.problem('https://user:word@id.example.com')).not.toContain('word@');
  });
});

test('a URL is read without blanks around it, and a text that stands for a hidden one is none', () => {
  const { schema } = configFields.oidcDiscoveryUrl;
  expect(schema.parse(' https://id.example.com\n')).toBe('https://id.example.com');
  expect(schema.safeParse('(hidden 1)').success).toBe(false);
});

test('the address of keys may have a query', () => {
  expect(address.problem('https://id.example.com/keys?app=a')).toBeUndefined();
  expect(address.problem('https://id.example.com/keys#a')).toMatch(/no fragment/);
});

test('pairs of keys have an address, and certificates where they have any', () => {
  const url = 'https://a.example/keys';
  expect(keySet.problem({ jwks_url: url, jwks_ca_pem: certificatePem })).toBeUndefined();
  expect(keySet.problem({ jwks_url: url })).toBeUndefined();
  expect(keySet.problem({ jwks_url: url, jwks_ca_pem: 'CA' })).toMatch(/no certificate/);
  expect(keySet.problem({ jwks_url: 'x' })).toMatch(/http or https/);
});

test.each(['10.0.0.0/33', '10/8', '/tmp/socket', '10.0.0.1:80', 'localhost', 'fe80::1%eth0'])(
  '%s is no range of addresses',
  (range) => {
    expect(addressRanges.problem(range)).toMatch(/no IP address or range/);
  },
);

test('an auth method is not at `sys`, after which OpenBao enables no other', () => {
  expect([methodPath.problem('sys'), methodPath.problem('sys/a')]).toEqual([
    expect.stringContaining('OpenBao enables no other'),
    undefined,
  ]);
});

test.each(['a?b', 'a#b', 'a%b'])('the path %s would be another in an address', (path) => {
  expect(methodPath.problem(path)).toMatch(/meaning of its own/);
});

import { expect, test } from '@jest/globals';
import { httpAddress } from '../../web/listen.ts';

test.each([
  ['127.0.0.1', undefined, 'http://127.0.0.1:8300'],
  ['::1', undefined, 'http://[::1]:8300'],
  ['secrets.example.com', 'https', 'https://secrets.example.com:8300'],
] as const)('a server that listens on %s (%s) is at %s', (host, protocol, address) => {
  expect(httpAddress(host, 8300, protocol)).toBe(address);
});

import { expect, test } from '@jest/globals';
import { httpAddress, originForm } from '../src/listen.ts';

test.each([
  ['127.0.0.1', undefined, 'http://127.0.0.1:8300'],
  ['::1', undefined, 'http://[::1]:8300'],
  ['secrets.example.com', 'https', 'https://secrets.example.com:8300'],
] as const)('a server that listens on %s (%s) is at %s', (host, protocol, address) => {
  expect(httpAddress(host, 8300, protocol)).toBe(address);
});

test.each([
  [
    'http://secrets.example:8200/v1/sys/health?a=http://b',
    '/v1/sys/health?a=http://b',
    'secrets.example:8200',
  ],
  ['HTTPS://[::1]:8200/ui/', '/ui/', '[::1]:8200'],
  ['http://secrets.example', '/', 'secrets.example'],
  ['http://secrets.example?list=true', '/?list=true', 'secrets.example'],
  ['/v1/http://secrets.example/', '/v1/http://secrets.example/', 'of.the.header'],
  ['http:///v1/sys/health', 'http:///v1/sys/health', 'of.the.header'],
  ['ftp://secrets.example/v1', 'ftp://secrets.example/v1', 'of.the.header'],
  ['*', '*', 'of.the.header'],
])('a request for %s is for %s of %s', (url, target, host) => {
  const request = { url, headers: { host: 'of.the.header' } };
  expect([originForm(request), request.headers.host]).toEqual([target, host]);
});

import { expect, test } from '@jest/globals';
import { originForm } from '../../web/origin-form.ts';

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

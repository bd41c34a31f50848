import { expect, test } from '@jest/globals';
import { readAuditLine } from '../../src/usage/audit-line.ts';
import { isSameRequest } from '../../src/usage/request-pair.ts';
import { asked, requestLine, responseLine } from './audit-lines.ts';

const own = { path: 'auth/token/lookup-self', mount_point: 'auth/token/', mount_type: 'token' };

/** @param fields of the request, where they are not those of the response */
function isPair(fields: object): boolean {
  const { mount_point, mount_type } = own;
  const answered = readAuditLine(responseLine({ request: own, response: { mount_point, mount_type } }));
  if (typeof answered === 'string') throw new Error(answered);
  return isSameRequest(requestLine({ request: { ...asked, ...own, ...fields } }), answered, undefined);
}

test('the same request is a pair', () => {
  expect(isPair({})).toBe(true);
});

test('what a token asks of itself in a namespace below its own is answered in its own', () => {
  const below = { path: 'a/b/auth/token/auth/token/lookup-self', mount_point: 'a/b/auth/token/' };
  expect(isPair(below)).toBe(true);
});

test.each([
  [
    'another path of that mount',
    { path: 'a/auth/token/auth/token/renew-self', mount_point: 'a/auth/token/' },
  ],
  ['another path', { path: 'auth/token/renew-self' }],
])('a request for %s is no pair', (_, fields) => {
  expect(isPair(fields)).toBe(false);
});

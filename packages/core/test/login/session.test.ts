import { describe, expect, test } from '@jest/globals';
import type { Claims } from '../../src/login/claims.ts';
import { LoginReason } from '../../src/login/login-refused.ts';
import { isNotAssignable, isOpenTemplate, openSession, templatePlaces } from '../../src/login/session.ts';

const role = { name: 'r', roleType: 'jwt', userClaim: 'sub' } as const;
const given = (policies: string[], claims?: Claims) =>
  openSession({ ...role, policies, tokenPoliciesTemplateClaims: claims !== undefined }, claims ?? {}, 'ann');

// docs/inside/measured/policies.md#patterns: names of policies are compared in lower case; `root` no login gives.
describe('the policies of a session', () => {
  test('are in lower case, each once, without blanks and empty names', () => {
    expect(given(['Reader', ' reader ', '', ' ', 'writer'])).toEqual(['reader', 'writer']);
  });

  test('are none where the role has none', () => {
    expect(openSession(role, {}, 'ann')).toEqual([]);
  });

  test.each(['root', ' Root', 'response-wrapping', 'Response-Wrapping '])('cannot be %j', (policy) => {
    expect(() => given(['reader', policy])).toThrow(
      expect.objectContaining({ reason: LoginReason.policyNotGiven }),
    );
    expect(isNotAssignable(policy)).toBe(true);
  });

  test('can be others', () => {
    expect(isNotAssignable('reader')).toBe(false);
  });

  test('need a name for the alias', () => {
    expect(() => openSession({ ...role, policies: ['root'] }, {}, '')).toThrow(
      expect.objectContaining({ reason: LoginReason.nameMissing, claim: 'sub' }),
    );
  });
});

// openbao/openbao builtin/credential/jwt/path_login.go; Go's text/template writes the errors.
describe('the name of a policy is filled in with claims', () => {
  test.each<[string, Claims, string]>([
    ['of-{{.team}}', { team: 'a' }, 'of-a'],
    ['{{ .a }}-{{.b.c}}', { a: 'x', b: { c: 7 } }, 'x-7'],
    ['of-{{.team}}', { team: null }, 'of-<no value>'],
    ['of-{{.constructor.name}}', { constructor: { name: 'x' } }, 'of-x'],
    ['{{if .a}}x{{end}}', { a: 'x' }, '{{if .a}}x{{end}}'],
    ['{{.a}}-{{printf .a}}', { a: 'x' }, '{{.a}}-{{printf .a}}'],
  ])('%s with %j', (policy, claims, name) => {
    expect(given([policy], claims)).toEqual([name]);
  });

  test('only where the role says so', () => {
    expect(given(['of-{{.team}}'])).toEqual(['of-{{.team}}']);
  });

  test.each<[string, Claims, string]>([
    [
      'of-{{.team}}',
      {},
      '[1]: unable to apply template: template: template:1:5: executing "template" at <.team>: map has no entry for key "team"',
    ],
    [
      'é{{ .team.b }}',
      { team: {} },
      'template:1:10: executing "template" at <.team.b>: map has no entry for key "b"',
    ],
    ['{{.a.b}}', { a: 'x' }, `at <.a.b>: can't evaluate field b in type interface {}`],
    ['{{.a.b}}', { a: ['x'] }, `at <.a.b>: can't evaluate field b in type interface {}`],
    ['{{.a.b}}', { a: null }, 'at <.a.b>: nil pointer evaluating interface {}.b'],
    ['{{.constructor}}', {}, 'map has no entry for key "constructor"'],
  ])('%s with %j is refused', (policy, claims, why) => {
    const refused = { reason: LoginReason.policyTemplate, message: expect.stringContaining(why) };
    expect(() => given(['reader', policy], claims)).toThrow(expect.objectContaining(refused));
  });

  test('from these places', () => {
    expect(templatePlaces('{{.a}}-{{ .b.c }}-{{if .d}}')).toEqual([['a'], ['b', 'c']]);
  });

  test.each([
    ['{{.a}}', false],
    ['a', false],
    ['{{.a}}{{if .b}}', true],
    ['{{.1}}', true],
  ])('and %s does more than that: %s', (policy, isOpen) => {
    expect(isOpenTemplate(policy)).toBe(isOpen);
  });
});

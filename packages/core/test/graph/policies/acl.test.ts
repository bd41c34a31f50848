import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Acl, comparePrecedence } from '../../../src/graph/policies/acl.ts';
import { type Capability, parsePolicy } from '../../../src/graph/policies/parse-policy.ts';

const now = 1_800_000_000_000_000_000n;

function acl(...texts: string[]): Acl {
  return new Acl(
    texts.map((text, at) => ({ name: `p${at}`, rules: parsePolicy(text) })),
    now,
  );
}

const rule = (path: string, ...capabilities: string[]) =>
  `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }\n`;

// openbao/openbao vault/acl.go, `AllowOperation` and `CheckAllowedFromNonExactPaths`
describe('what a policy allows', () => {
  const cases: Record<string, [text: string, path: string, capability: Capability, allowed: boolean]> = {
    'an exact path': [rule('a/b', 'read'), 'a/b', 'read', true],
    'an exact path, another capability': [rule('a/b', 'read'), 'a/b', 'update', false],
    'a prefix': [rule('a/*', 'read'), 'a/b/c', 'read', true],
    'the list of the folder of a prefix': [rule('a/*', 'list'), 'a', 'list', true],
    'the list of a folder written with its slash': [rule('a/', 'list'), 'a', 'list', true],
    'the folder before its name': [rule('a', 'list') + rule('a/', 'read'), 'a', 'list', false],
    'the name before a pattern of the folder': [rule('a', 'read') + rule('a/*', 'list'), 'a', 'list', false],
    'not a folder for its name': [rule('a/', 'read'), 'a', 'read', false],
    'a path that is one segment': [rule('+', 'read'), 'a', 'read', true],
    'the sum of rules for a path': [rule('a', 'read') + rule('a', 'update'), 'a', 'read', true],
    'nothing where one denies': [rule('a', 'read') + rule('a', 'deny'), 'a', 'read', false],
    'the exact path, not its prefix': [rule('a/*', 'deny') + rule('a/b', 'read'), 'a/b', 'read', true],
    'a path written with a slash before it': [rule('/a', 'read'), 'a', 'read', true],
    'what the older words say': ['path "a" { policy = "write" }', 'a', 'delete', true],
    'nothing where only wrapped answers may go': [
      'path "a" { capabilities = ["read"] max_wrapping_ttl = "1h" }',
      'a',
      'read',
      false,
    ],
    'nothing after the expiration': [
      'path "a" { capabilities = ["read"] expiration = "2020-01-01T00:00:00Z" }',
      'a',
      'read',
      false,
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [text, path, capability, allowed]) => {
    expect(acl(text).allows({ path, capability })).toBe(allowed);
  });

  test('sudo is needed beside the capability on a guarded path', () => {
    const guarded = { path: 'sys/auth/x', capability: 'update' as const, needsSudo: true };
    const answers = ['update', 'sudo'].map((only) => acl(rule('sys/*', only)).allows(guarded));
    expect([...answers, acl(rule('sys/*', 'update', 'sudo')).allows(guarded)]).toEqual([false, false, true]);
  });

  test('root may do everything', () => {
    const root = new Acl([{ name: 'root', rules: [] }], now);
    expect(root.allows({ path: 'a', capability: 'delete', needsSudo: true })).toBe(true);
    expect(root.capabilities('a')).toEqual(['root']);
    expect(root.hasSudo('a')).toBe(true);
    expect(root.reaches('a/')).toBe(true);
    expect(root.rules()).toBeUndefined();
  });

  test('root may do everything among other policies, whatever they limit', () => {
    const limited = parsePolicy('path "a" { capabilities = ["update"] mfa_methods = ["x"] }');
    const root = new Acl(
      ['p', 'root'].map((name) => ({ name, rules: limited })),
      now,
    );
    expect(root.allows({ path: 'b', capability: 'read' })).toBe(true);
    expect(root.limits('a')).toBe('');
  });

  test('a rule without capabilities denies', () => {
    expect(acl(rule('a')).capabilities('a')).toEqual(['deny']);
    expect(acl(rule('a')).reaches('a/')).toBe(false);
  });

  test('a path that looks like a pattern is one that patterns match', () => {
    const given = acl(rule('a/*', 'read') + rule('a/+', 'update'));
    expect(given.capabilities('a/*')).toEqual(['update']);
    expect(given.capabilities('a/+')).toEqual(['update']);
  });

  test('sudo alone is what makes an administrator of a path', () => {
    const given = acl(rule('a', 'sudo') + rule('b', 'update'));
    expect([given.hasSudo('a'), given.hasSudo('b'), given.hasSudo('c')]).toEqual([true, false, false]);
  });

  test.each<[string, string, boolean]>([
    [rule('a/b', 'read'), 'a/', true],
    [rule('a/+/c', 'read'), 'a/b/', true],
    [rule('a/+/c', 'read'), 'b/', false],
    [rule('a/+/c', 'read'), 'b/x/', false],
    [rule('a/bc/+', 'read'), 'a/bc/', true],
    [rule('a/b'), 'a/', false],
    [rule('a/+', 'read') + rule('a/b', 'deny'), 'a/b/', false],
    [rule('a/+/c', 'read'), 'a/b/d/', false],
    [rule('+/b', 'read'), 'x/', true],
    [rule('a/b', 'deny'), 'a/', false],
    [rule('a/*', 'read'), 'a/b/', true],
    [rule('ab', 'read'), 'a/', false],
    ['', 'a/', false],
  ])('%s reaches what is at or below %s: %s', (text, path, reaches) => {
    expect(acl(text).reaches(path)).toBe(reaches);
  });

  test('the rules of all policies are one for each path, with capabilities in order', () => {
    expect(acl(rule('a', 'update'), rule('a', 'read') + rule('b', 'list')).rules()).toMatchObject([
      { path: 'a', capabilities: ['read', 'update'] },
      { path: 'b', capabilities: ['list'] },
    ]);
  });

  test('capabilities are told in the order of the alphabet', () => {
    const given = acl(rule('a', 'create', 'list', 'sudo', 'read', 'delete', 'update'));
    expect(given.capabilities('a')).toEqual(['create', 'delete', 'list', 'read', 'sudo', 'update']);
    expect(given.capabilities('b')).toEqual(['deny']);
  });

  const limitedTo = (limit: string) => acl(`path "a" { capabilities = ["update"] ${limit} }`);
  const writes: Record<string, [limit: string, parameters: Record<string, unknown>, allowed: boolean]> = {
    'any field': ['', { x: 1 }, true],
    'an allowed field': ['allowed_parameters = { "x" = [] }', { x: 1 }, true],
    'an allowed field in capitals': ['allowed_parameters = { "x" = [] }', { X: 3 }, true],
    'another field': ['allowed_parameters = { "x" = [] }', { y: 1 }, false],
    'an allowed value': ['allowed_parameters { x = ["b*", 2] }', { x: 'bc' }, true],
    'another value': ['allowed_parameters { x = ["b*", 2] }', { x: 3 }, false],
    'a * alone, which is itself': ['allowed_parameters { x = ["*"] }', { x: 3 }, false],
    'others by *': ['allowed_parameters { x = [1], "*" = [] }', { y: 3 }, true],
    'one of two fields allowed': ['allowed_parameters = { x = [] }', { x: 1, y: 1 }, false],
    'a denied field': ['denied_parameters = { "x" = [] }', { x: 3 }, false],
    'a denied field in capitals': ['denied_parameters = { "X" = [] }', { x: 3 }, false],
    'a value beside the denied': ['denied_parameters = { "x" = [1] }', { x: 3 }, true],
    'every field denied': ['denied_parameters = { "*" = [] }', { x: 3 }, false],
    'no field, where every one is denied': ['denied_parameters = { "*" = [] }', {}, true],
    'one of two fields denied': ['denied_parameters = { x = [] }', { x: 1, y: 1 }, false],
    'a required field': ['required_parameters = ["x"]', { x: 3 }, true],
    'a required field that is missing': ['required_parameters = ["x"]', {}, false],
    'one of two fields required': ['required_parameters = ["x", "y"]', { x: 1 }, false],
    // Measured: acl.openbao.test.ts.
    'a required field in capitals': ['required_parameters = ["x"]', { X: 3 }, false],
    'a required name in capitals': ['required_parameters = ["X"]', { x: 3 }, true],
    'both in capitals': ['required_parameters = ["X"]', { X: 3 }, false],
  };
  test.each(Object.entries(writes))('fields of a write: %s', (_, [limit, parameters, allowed]) => {
    expect(limitedTo(limit).allows({ path: 'a', capability: 'update', parameters })).toBe(allowed);
  });

  // openbao/openbao vault/acl.go, `valueInParameterList`
  test.each([
    ['ab', 'ab', true],
    ['ab', 'abc', false],
    ['ab', 'xb', false],
    ['a*', 'abc', true],
    ['a*', 'bac', false],
    ['*c', 'abc', true],
    ['*c', 'abcd', false],
    ['*b*', 'abc', true],
    ['*ac*', 'abc', false],
    ['a*c', 'a*c', true],
    ['a*c', 'abc', false],
    ['*', '*', true],
    ['*', 'a', false],
    ['**', 'a', true],
  ])('the allowed value %s takes %s: %s', (allowed, value, takes) => {
    const given = limitedTo(`allowed_parameters = { x = ["${allowed}"] }`);
    expect(given.allows({ path: 'a', capability: 'update', parameters: { x: value } })).toBe(takes);
  });

  test.each<[Capability, boolean]>([
    ['update', false],
    ['create', false],
    ['delete', true],
    ['list', true],
  ])('fields count for %s: not %s', (capability, allowed) => {
    const text = `path "a" { capabilities = ["${capability}"] allowed_parameters = { x = [] } }`;
    expect(acl(text).allows({ path: 'a', capability, parameters: { y: 1 } })).toBe(allowed);
  });

  test.each([
    ['2027-01-15T08:00:00Z', false],
    ['2027-01-15T08:00:01Z', true],
  ])('a rule that expires at %s holds at eight: %s', (at, holds) => {
    const given = acl(`path "a" { capabilities = ["read"] expiration = "${at}" }`);
    expect(given.allows({ path: 'a', capability: 'read' })).toBe(holds);
  });

  test('a limit that is not modeled is compared where it decides, and united with others', () => {
    const limited = (path: string, limits: string) =>
      `path "${path}" { capabilities = ["update"] ${limits} }\n`;
    const mfa = limited('a/*', 'mfa_methods = ["x"]');
    const at = (...texts: string[]) => acl(...texts).limits('a/b');
    expect(at(mfa)).not.toBe('');
    expect(at(mfa)).toBe(at(limited('a/*', '# the same\n mfa_methods = [ "x" ]')));
    expect(at(mfa)).not.toBe(at(limited('a/*', 'mfa_methods = ["y"]')));
    expect(at(mfa)).not.toBe(at(mfa, limited('a/*', '')));
    expect(at(mfa, limited('a/*', ''))).toBe(at(limited('a/*', ''), mfa));
    expect(at(mfa, limited('a/b', ''))).toBe('');
    expect(at(mfa, rule('a/*', 'deny'))).toBe('');
    expect(at('path "a/*" { capabilities = ["deny"] mfa_methods = ["x"] }')).toBe('');
  });

  test.each([
    'required_parameters = ["x"]',
    'allowed_parameters = { x = [] }',
    'denied_parameters = { x = [] }',
    'max_wrapping_ttl = "1h"',
  ])('%s is a limit', (limit) => {
    expect(limitedTo(limit).limits('a')).not.toBe('');
  });

  test('that nothing is required is no limit', () => {
    expect(limitedTo('required_parameters = []').limits('a')).toBe('');
  });
});

// What the file is: packages/core/test/graph/policies/README.md
describe('what OpenBao answers', () => {
  interface Case {
    policies: [pattern: string, capabilities: string[]][][];
    /** By path, as `sys/capabilities` told them. */
    capabilities?: Record<string, string[]>;
    /** Why the first policy was not taken. */
    refused?: string;
  }
  const lines = readFileSync(new URL('openbao.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const cases = lines.map((line) => JSON.parse(line) as Case);
  const written = (rules: Case['policies'][number]) =>
    rules.map(([path, capabilities]) => rule(path, ...capabilities)).join('');

  test('the same capabilities for every path', () => {
    let questions = 0;
    for (const { policies, capabilities = {} } of cases) {
      const paths = Object.keys(capabilities);
      questions += paths.length;
      if (paths.length === 0) continue;
      const given = acl(...policies.map(written));
      expect(Object.fromEntries(paths.map((path) => [path, given.capabilities(path)]))).toEqual(capabilities);
    }
    expect(questions).toBe(6358);
  });

  test('the same texts refused', () => {
    const refused = cases.filter((one) => one.refused !== undefined);
    expect(refused).toHaveLength(44);
    for (const { policies, refused: why = '' } of refused) {
      expect(() => acl(...policies.map(written))).toThrow(why.replace('failed to parse policy: ', ''));
    }
  });
});

describe('which of two patterns that match a path decides', () => {
  test('in this order', () => {
    const order = ['a/b/c', 'a/b/c*', 'a/b/+', 'a/b/*', 'a/+/c', 'a/+/+', 'a/+/c*', 'a/+/*', '+/b/c', '*'];
    expect(order.toSorted().sort(comparePrecedence)).toEqual(order);
    expect(order.toReversed().sort(comparePrecedence)).toEqual(order);
    expect(order.map((pattern) => Math.abs(comparePrecedence(pattern, pattern)))).toEqual(order.map(() => 0));
  });

  test('the longer, and then the greater, both in bytes', () => {
    expect(comparePrecedence('+/é/+', '+/+/ab')).toBeLessThan(0);
    expect(comparePrecedence('+/é/+', '+/+/abc')).toBeGreaterThan(0);
    expect(comparePrecedence('+/\u{1f600}/+/abc', '+/+/\uffee/abcd')).toBeLessThan(0);
  });
});

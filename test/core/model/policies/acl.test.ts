import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Acl, comparePrecedence } from '../../../../core/model/policies/acl.ts';
import { type Capability, parsePolicy } from '../../../../core/model/policies/parse-policy.ts';

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
  const cases: [what: string, text: string, path: string, capability: Capability, allowed: boolean][] = [
    ['an exact path', rule('a/b', 'read'), 'a/b', 'read', true],
    ['an exact path, another capability', rule('a/b', 'read'), 'a/b', 'update', false],
    ['not what lies below it', rule('a/b', 'read'), 'a/b/c', 'read', false],
    ['not what only begins alike', rule('a/b', 'read'), 'a/bc', 'read', false],
    ['nothing that no rule names', '', 'a', 'read', false],
    ['a prefix', rule('a/*', 'read'), 'a/b/c', 'read', true],
    ['a prefix within a word', rule('a/b*', 'read'), 'a/bc', 'read', true],
    ['everything', rule('*', 'read'), 'a', 'read', true],
    ['not the folder of a prefix', rule('a/*', 'read'), 'a', 'read', false],
    ['the list of the folder of a prefix', rule('a/*', 'list'), 'a', 'list', true],
    ['the list of a folder written with its slash', rule('a/', 'list'), 'a', 'list', true],
    ['the folder before its name', rule('a', 'list') + rule('a/', 'read'), 'a', 'list', false],
    ['the name before a pattern of the folder', rule('a', 'read') + rule('a/*', 'list'), 'a', 'list', false],
    ['not a folder for its name', rule('a/', 'read'), 'a', 'read', false],
    ['a segment', rule('a/+/c', 'read'), 'a/b/c', 'read', true],
    ['not two segments', rule('a/+/c', 'read'), 'a/b/b/c', 'read', false],
    ['a segment and a prefix', rule('a/+/c*', 'read'), 'a/b/cd/e', 'read', true],
    ['a plus within a word is itself', rule('a/b+', 'read'), 'a/bc', 'read', false],
    ['the exact path before the prefix', rule('a/*', 'read') + rule('a/b', 'update'), 'a/b', 'read', false],
    ['the longer prefix', rule('a/*', 'read') + rule('a/b*', 'update'), 'a/bc', 'read', false],
    ['the later wildcard', rule('a/+/c', 'read') + rule('a/b/+', 'update'), 'a/b/c', 'update', true],
    ['the segment before the prefix', rule('a/+', 'read') + rule('a/*', 'update'), 'a/b', 'read', true],
    ['the fewer segments', rule('+/+/c', 'read') + rule('+/b/c', 'update'), 'a/b/c', 'update', true],
    ['the sum of rules for a path', rule('a', 'read') + rule('a', 'update'), 'a', 'read', true],
    ['nothing where one denies', rule('a', 'read') + rule('a', 'deny'), 'a', 'read', false],
    ['nothing where one denied before', rule('a', 'deny') + rule('a', 'read'), 'a', 'read', false],
    ['nothing under a denial among more', rule('a/*', 'read', 'deny'), 'a/b', 'read', false],
    [
      'the exact path under a prefix that denies',
      rule('a/*', 'deny') + rule('a/b', 'read'),
      'a/b',
      'read',
      true,
    ],
    ['a path written with a slash before it', rule('/a', 'read'), 'a', 'read', true],
    ['what the older words say', 'path "a" { policy = "write" }', 'a', 'delete', true],
    [
      'nothing where only wrapped answers may go',
      'path "a" { capabilities = ["read"] max_wrapping_ttl = "1h" }',
      'a',
      'read',
      false,
    ],
    [
      'nothing any more after the expiration',
      'path "a" { capabilities = ["read"] expiration = "2020-01-01T00:00:00Z" }',
      'a',
      'read',
      false,
    ],
  ];
  test.each(cases)('%s', (_, text, path, capability, allowed) => {
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
  });

  test('capabilities are told in the order of the alphabet', () => {
    const given = acl(rule('a', 'create', 'list', 'sudo', 'read', 'delete', 'update'));
    expect(given.capabilities('a')).toEqual(['create', 'delete', 'list', 'read', 'sudo', 'update']);
    expect(given.capabilities('b')).toEqual(['deny']);
  });

  const fields = 'capabilities = ["update"]';
  test.each([
    ['any field', `path "a" { ${fields} }`, { x: 1 }, true],
    ['an allowed field', `path "a" { ${fields} allowed_parameters = { "x" = [] } }`, { X: 1 }, true],
    ['another field', `path "a" { ${fields} allowed_parameters = { "x" = [] } }`, { y: 1 }, false],
    ['an allowed value', `path "a" { ${fields} allowed_parameters { x = ["b*", 2] } }`, { x: 'bc' }, true],
    [
      'a * alone, which is itself',
      `path "a" { ${fields} allowed_parameters { x = ["*"] } }`,
      { x: 3 },
      false,
    ],
    ['another value', `path "a" { ${fields} allowed_parameters { x = ["b*", 2] } }`, { x: 3 }, false],
    ['others by *', `path "a" { ${fields} allowed_parameters { x = [1], "*" = [] } }`, { y: 3 }, true],
    ['a denied field', `path "a" { ${fields} denied_parameters = { "x" = [] } }`, { x: 3 }, false],
    ['a value beside the denied', `path "a" { ${fields} denied_parameters = { "x" = [1] } }`, { x: 3 }, true],
    ['every field denied', `path "a" { ${fields} denied_parameters = { "*" = [] } }`, { x: 3 }, false],
    ['a required field', `path "a" { ${fields} required_parameters = ["x"] }`, { x: 3 }, true],
    ['a required field that is missing', `path "a" { ${fields} required_parameters = ["x"] }`, {}, false],
    // Measured: acl.openbao.test.ts.
    ['a required field in capitals', `path "a" { ${fields} required_parameters = ["x"] }`, { X: 3 }, false],
    ['a required name in capitals', `path "a" { ${fields} required_parameters = ["X"] }`, { x: 3 }, true],
    ['both in capitals', `path "a" { ${fields} required_parameters = ["X"] }`, { X: 3 }, false],
    [
      'an allowed field in capitals',
      `path "a" { ${fields} allowed_parameters = { "x" = [] } }`,
      { X: 3 },
      true,
    ],
    [
      'a denied field in capitals',
      `path "a" { ${fields} denied_parameters = { "X" = [] } }`,
      { x: 3 },
      false,
    ],
  ])('fields of a write: %s', (_, text, parameters, allowed) => {
    expect(acl(text).allows({ path: 'a', capability: 'update', parameters })).toBe(allowed);
  });

  test('a limit that is not modelled is compared where it decides, and united with others', () => {
    const limited = (path: string, more: string) => `path "${path}" { capabilities = ["update"] ${more} }\n`;
    const mfa = limited('a/*', 'mfa_methods = ["x"]');
    const at = (...texts: string[]) => acl(...texts).limits('a/b');
    expect(at(mfa)).not.toBe('');
    expect(at(mfa)).toBe(at(limited('a/*', '# the same\n mfa_methods = [ "x" ]')));
    expect(at(mfa)).not.toBe(at(limited('a/*', 'mfa_methods = ["y"]')));
    expect(at(mfa)).not.toBe(at(mfa, limited('a/*', '')));
    expect(at(mfa, limited('a/*', ''))).toBe(at(limited('a/*', ''), mfa));
    expect(at(mfa, limited('a/b', ''))).toBe('');
    expect(at(mfa, rule('a/*', 'deny'))).toBe('');
  });
});

// What the file is: test/core/model/policies/README.md
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

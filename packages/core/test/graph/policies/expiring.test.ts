import { describe, expect, test } from '@jest/globals';
import { expiringProblems, withExpiration } from '../../../src/graph/policies/expiring.ts';
import { parsePolicy } from '../../../src/graph/policies/parse-policy.ts';
import { parseInstant } from '../../../src/graph/values/instant.ts';

const text = `# path "secret/b" { in a comment }
path "secret/a" {
  capabilities = ["read"] # stays
}
path "secret/b" { capabilities = ["update"] }
path "secret/b" { /* { */ capabilities = ["list"] }
`;

describe('withExpiration', () => {
  test('adds an expiration to the rules of a pattern, and leaves all else as it is written', () => {
    expect(withExpiration(text, { 'secret/a': '2026-12-31' })).toBe(
      text.replace('path "secret/a" {\n', 'path "secret/a" {\n  expiration = "2026-12-31T23:59:59Z"\n'),
    );
  });

  test('adds it to every rule of the pattern, whatever day others have', () => {
    const both = withExpiration(text, { 'secret/b': '2026-12-31', 'secret/a': '2028-02-29' });
    expect(parsePolicy(both).map(({ path, expires }) => [path, expires])).toEqual([
      ['secret/a', parseInstant('2028-02-29T23:59:59Z')],
      ['secret/b', parseInstant('2026-12-31T23:59:59Z')],
      ['secret/b', parseInstant('2026-12-31T23:59:59Z')],
    ]);
  });

  test('leaves a text alone of which nothing ends, also one that cannot be read', () => {
    expect(withExpiration('path {', {})).toBe('path {');
    expect(withExpiration(text, { constructor: '2026-12-31' })).toBe(text);
  });
});

describe('expiringProblems', () => {
  test.each([
    ['a pattern without a rule', text, 'secret/c', 'the policy has no rule path "secret/c" { … }'],
    ['a misspelled pattern', text, 'sceret/a', 'did you mean `secret/a`?'],
    ['a policy in JSON', '{"path": {"a": {"capabilities": ["read"]}}}', 'a', 'has no rule path "a" { … }'],
    [
      'a rule that expires already',
      'path "a" { expiration = "2030-01-01T00:00:00Z" }',
      'a',
      'keep one of the two',
    ],
    ['a text that cannot be read', 'path {', 'a', 'the policy cannot be read'],
  ])('objects to %s', (_, policy, pattern, problem) => {
    expect(expiringProblems(policy, [pattern])).toEqual([
      { pattern, message: expect.stringContaining(problem) },
    ]);
  });

  test('says nothing of what can end', () => {
    expect(expiringProblems(text, ['secret/a', 'secret/b'])).toEqual([]);
    expect(expiringProblems('path {', [])).toEqual([]);
  });
});

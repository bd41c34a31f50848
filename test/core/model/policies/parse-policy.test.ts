import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HclError } from '../../../../core/model/policies/hcl.ts';
import { parsePolicy } from '../../../../core/model/policies/parse-policy.ts';

describe('reading a policy', () => {
  const read = [{ path: 'a/*', capabilities: ['read'] }];
  test.each([
    ['HCL', 'path "a/*" { capabilities = ["read"] }'],
    [
      'HCL over lines, with comments',
      '# c\n// c\n/* c\n * } */\npath "a/*" {\n  capabilities = [ # c\n "read", ]\n}\n',
    ],
    ['HCL with Windows line ends', 'path "a/*" {\r\n  capabilities = ["read"]\r\n}\r\n'],
    ['HCL with a name and a comment', 'name = "x"\npath "a/*" { comment = "y" capabilities = ["read"] }'],
    ['JSON', '{"path": {"a/*": {"capabilities": ["read"]}}}'],
    ['JSON with lists', ' {"path": [{"a/*": [{"capabilities": ["read"]}]}]}'],
  ])('%s', (_, text) => {
    expect(parsePolicy(text)).toMatchObject(read);
  });

  test.each([
    ['foo "a" {}', 'invalid key "foo" on line 0'],
    ['path "a" { foo = 1 }', 'path "a": 1 error occurred:\n\t* invalid key "foo" on line 1'],
    ['path "a" { capabilities = ["red"] }', 'path "a": path "a": invalid capability "red"'],
    ['path "a" { policy = "red" }', 'invalid policy "red"'],
    ['path "a" { capabilities = ["read" }', 'At 1:35: error parsing list, expected comma or list end'],
    ['path "a" {\n  capabilities = [\n', 'At 3:1: expected a value, got the end'],
    ['path "a" { capabilities = ["read"] ', 'expected a name or the end of the block, got the end'],
    ['path "a" { capabilities = "read" ] }', 'got ]'],
    ['path "a" { capabilities = [1] }', 'invalid capability "1"'],
    ['path "a" { capabilities = ["read"] capabilities = ["list"] }', 'capabilities is given twice'],
    ['path "a+*" {}', "invalid use of wildcards ('+*' is forbidden)"],
    ['path "a" { expiration = "soon" }', 'invalid expiration time'],
    ['path "a" { mfa_methods = ["x"] }', 'mfa_methods is not supported by this service'],
    ['path "a', 'At 1:6: illegal character'],
    ['path = "a"', 'expected a block with a path'],
    ['{"path": 1}', 'expected a block with a path'],
    ['{"path":', 'the JSON cannot be read'],
    [`{"path": ${'['.repeat(500)}${']'.repeat(500)}}`, 'too deep'],
    [`path "a" ${'{ a '.repeat(500)}`, 'too deep'],
  ])('%.40s is refused', (text, problem) => {
    expect(() => parsePolicy(text)).toThrow(problem);
  });

  test('no text does anything but be read or refused', () => {
    const parts = fc.constantFrom(
      'path ',
      '"a/*" ',
      '{',
      '}',
      '[',
      ']',
      '=',
      ',',
      '"read"',
      'capabilities',
      '\n',
      '#',
      '/*',
      '"',
      '1',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts).map((all) => all.join('')),
        ),
        (text) => {
          try {
            parsePolicy(text);
          } catch (error) {
            expect(error).toBeInstanceOf(HclError);
          }
        },
      ),
    );
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HclError } from '../../../src/graph/policies/hcl.ts';
import { parsePolicy, readPolicy } from '../../../src/graph/policies/parse-policy.ts';

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
    ['JSON with a list', ' {"path": [{"a/*": {"capabilities": ["read"]}}]}'],
  ])('%s', (_, text) => {
    expect(parsePolicy(text)).toMatchObject(read);
  });

  test.each([
    ['foo "a" {}', 'invalid key "foo" on line 0'],
    ['path "a" { policy = "red" }', 'invalid policy "red"'],
    ['path "a" { capabilities = ["read" }', 'At 1:35: error parsing list, expected comma or list end'],
    ['path "a" {\n  capabilities = [\n', 'At 3:1: expected a value, got the end'],
    ['path "a" { capabilities = ["read"] ', 'expected a name or the end of the block, got the end'],
    ['path "a" { capabilities = "read" ] }', 'got ]'],
    ['path "a" { capabilities = [1] }', 'invalid capability "1"'],
    ['path "a" { capabilities = ["read"] capabilities = ["list"] }', 'capabilities is given twice'],
    ['path "a+*" {}', "invalid use of wildcards ('+*' is forbidden)"],
    ['path "a" { expiration = "soon" }', 'invalid expiration time'],
    ['path "a" { policy = "constructor" }', 'invalid policy "constructor"'],
    ['path "a" { Capabilities = ["read"] }', 'invalid key "Capabilities"'],
    ['{"path": {"a": {"capabilities": ["read"]}, "a": {"capabilities": ["sudo"]}}}', 'names something twice'],
    ['path "a" { required_parameters = ["x", 1] }', 'expected a list of texts'],
    ['{"path": {"a": 1}}', 'expected a block with a path'],
    ['{"path": {"a": [{"capabilities": ["read"]}]}}', 'expected a block with a path'],
    ['path "a" { capabilities = "read" }', 'capabilities are a list'],
    ['path "a" { required_parameters = 1 }', 'expected a list of texts'],
    ['path "a" { allowed_parameters = 1 }', 'expected names with lists of values'],
    ['path "a" { denied_parameters = { x = 1 } }', 'expected a list of values for x'],
    ['path = { a "b" {} }', 'expected a block with a path'],
    ['path "a" {} name = "x" other = 1', 'invalid key "other" on line 1'],
    ['path "a', 'At 1:6: the string has no end'],
    ['path = "a"', 'expected a block with a path'],
    ['{"path": 1}', 'expected a block with a path'],
    ['{"path":', 'the JSON cannot be read'],
    [`{"path": ${'['.repeat(500)}${']'.repeat(500)}}`, 'too deep'],
    [`path "a" ${'{ a '.repeat(500)}`, 'too deep'],
  ])('%.40s is refused', (text, problem) => {
    expect(() => parsePolicy(text)).toThrow(problem);
  });

  test.each([
    ['one text for a list', 'required_parameters = "X"', { requiredParameters: ['x'] }],
    ['no expiration', 'expiration = ""', { expires: undefined }],
    ['an expiration', 'expiration = "1970-01-01T00:00:01Z"', { expires: 1_000_000_000n }],
    ['a wrapping', 'min_wrapping_ttl = 60 max_wrapping_ttl = "1h"', { minWrapping: 60, maxWrapping: 3600 }],
    ['a wrapping at least', 'min_wrapping_ttl = "1m"', { minWrapping: 60, maxWrapping: undefined }],
    ['fields in other letters', 'allowed_parameters = { X = [1] }', { allowedParameters: { x: [1] } }],
    [
      'older words',
      'policy = "sudo"',
      { capabilities: ['create', 'read', 'update', 'delete', 'list', 'sudo'] },
    ],
    ['the older word for reading', 'policy = "read"', { capabilities: ['read', 'list'] }],
    [
      'the older word for writing',
      'policy = "write"',
      { capabilities: ['create', 'read', 'update', 'delete', 'list'] },
    ],
    ['the older word for a denial', 'policy = "deny" capabilities = ["read"]', { capabilities: ['deny'] }],
    [
      'each capability once',
      'policy = "read" capabilities = ["list", "list"]',
      { capabilities: ['list', 'read'] },
    ],
  ])('has %s', (_, text, expected) => {
    expect(parsePolicy(`path "a" { ${text} }`)).toEqual([expect.objectContaining(expected)]);
  });

  test('has no wrapping where its times are zero', () => {
    const [rule] = parsePolicy('path "a" { min_wrapping_ttl = 0 max_wrapping_ttl = "0s" }');
    expect(rule).toMatchObject({ minWrapping: undefined, maxWrapping: undefined });
  });

  test.each([
    ['/a', 'a'],
    ['//a', '/a'],
    ['a/{{ identity.entity.id }}/b', 'a/{{identity.entity.id}}/b'],
    ['a/{{identity.entity.id }}{{ b}}', 'a/{{identity.entity.id}}{{b}}'],
  ])('the path %s is %s', (written, path) => {
    expect(parsePolicy(`path "${written}" {}`)[0]?.path).toBe(path);
  });

  test('a text that cannot be read has no rules, and other errors are passed on', () => {
    expect(readPolicy('path')).toBeUndefined();
    expect(readPolicy('path "a" {}')).toHaveLength(1);
    expect(() => readPolicy(undefined as never)).toThrow(TypeError);
  });

  test('several blocks of JSON are those of HCL', () => {
    const json = '{"path":{"a":{"control_group":[{"x":1},{"y":[{"z":2}]}]}}}';
    const second = 'control_group y { z = 2 }';
    const hcl = `path "a" { control_group { x = 1 } ${second} }`;
    expect(parsePolicy(json)).toEqual(parsePolicy(hcl));
    expect(parsePolicy(hcl)).not.toEqual(parsePolicy(hcl.replace(second, '')));
  });

  test('a list of one text is not the text', () => {
    const limit = (value: string) => parsePolicy(`path "a" { mfa_methods = ${value} }`)[0]?.otherLimits;
    expect(limit('["x"]')).not.toBe(limit('"x"'));
  });

  test('a comment is no limit', () => {
    expect(parsePolicy('path "a" { comment = "x" }')[0]).not.toHaveProperty('otherLimits');
  });

  const limits = (text: string) => parsePolicy(text).map(({ otherLimits }) => otherLimits);
  const controlled = (limits: string) => `path "sys/*" { capabilities = ["update"] ${limits} }`;
  const group = 'control_group = { factor "ops" { identity { group_names = ["managers"] approvals = 1 } } }';

  test.each([
    ['blanks', 'control_group={factor "ops"{\r\n\t identity {group_names=["managers",]\napprovals=1}}}'],
    ['comments', group.replace('factor', '# who\n factor /* { */')],
    ['a block instead of an attribute', group.replace('= ', '')],
    [
      'the order of names',
      group.replace('group_names = ["managers"] approvals = 1', 'approvals = 1 group_names = ["managers"]'),
    ],
  ])('keeps a limit that it does not know, whatever the %s', (_, limit) => {
    expect(parsePolicy(controlled(limit))).toMatchObject([{ path: 'sys/*', capabilities: ['update'] }]);
    expect(limits(controlled(limit))).toEqual(limits(controlled(group)));
  });

  test.each([
    [{ factor: { ops: { identity: { group_names: ['managers'], approvals: 1 } } } }],
    [[{ factor: [{ ops: { identity: { approvals: 1, group_names: ['managers'] } } }] }]],
  ])('keeps the same limit of JSON: %j', (control_group) => {
    const json = JSON.stringify({ path: { 'sys/*': { capabilities: ['update'], control_group } } });
    expect(limits(json)).toEqual(limits(controlled(group)));
  });

  test.each([
    group.replace('1', '2'),
    group.replace('managers', 'Managers'),
    group.replace('"ops"', '"dev"'),
    `${group} ${group}`,
    `${group} mfa_methods = ["totp"]`,
    'control_group = [["factor", "ops"]]',
    'pagination_limit = 1',
    'pagination_limit = "1"',
    '',
  ])('tells another limit apart: %s', (limit) => {
    expect(limits(controlled(limit))).not.toEqual(limits(controlled(group)));
  });

  test('keeps capabilities that it does not know', () => {
    const [rule] = parsePolicy(
      'path "a" { capabilities = ["subscribe", "recover"] subscribe_event_types = ["*"] }',
    );
    expect(rule).toMatchObject({ capabilities: ['subscribe', 'recover'], eventTypes: ['*'] });
    expect(parsePolicy('path "a" { capabilities = ["subscribe", "deny"] }')[0]?.capabilities).toEqual([
      'deny',
    ]);
  });

  test('no text does anything but be read or refused', () => {
    const words = ['path ', '"a/*" ', '"read"', 'capabilities', '/*', ...'{}[]=,#"1\n'];
    const parts = fc.constantFrom(...words);
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

import { describe, expect, test } from '@jest/globals';
import { policyProblems } from '../../../src/graph/policies/policy-problems.ts';

const rule = (...words: string[]) => `path "secret/*" { capabilities = ${JSON.stringify(words)} }`;
const within = (attributes: string) => `path "a" {\n  capabilities = ["list"]\n  ${attributes}\n}`;
const messages = (text: string) => policyProblems(text, 'any').map(({ message }) => message);

describe('the capabilities of a policy', () => {
  test.each([
    [['create', 'read', 'update', 'delete', 'list', 'patch', 'sudo']],
    [['deny']],
    [['deny', 'anything']],
    [['scan']],
    [['subscribe', 'recover']],
    [[]],
  ])('%j are known', (words) => {
    expect(messages(rule(...words))).toEqual([]);
  });

  test('a misspelled one is named with the nearest', () => {
    expect(messages(rule('reed', 'list'))).toEqual([
      'line 1: path "secret/*": `reed` is no capability; did you mean `read`?',
    ]);
  });

  test('one that resembles none is named with all', () => {
    expect(messages(rule('everything'))).toEqual([
      expect.stringMatching(/`everything` is no capability; known: create, read, /),
    ]);
  });

  test('letters count: a server refuses `Read`', () => {
    expect(messages(rule('Read'))).toEqual([expect.stringContaining('did you mean `read`?')]);
  });

  test('each is named once, and JSON is read too', () => {
    const json = JSON.stringify({ path: { a: { capabilities: ['reed', 'reed'] } } });
    expect(messages(json)).toHaveLength(1);
  });

  test('an older word for several is fine', () => {
    expect(messages('path "a" { policy = "write" }')).toEqual([]);
  });
});

test.each<[string, string]>([
  [
    'path "c/*" { capabilites = ["read"] }',
    'line 1: path "c/*": no server knows `capabilites`; did you mean `capabilities`?',
  ],
  [
    within('allowed_parameter = { x = [] }'),
    'line 3: path "a": no server knows `allowed_parameter`; did you mean `allowed_parameters`?',
  ],
  ['paths "c/*" {}', 'line 1: `paths` is nothing that a policy has; did you mean `path`?'],
  [
    within('control-group = {}'),
    'line 3: path "a": no server knows `control-group`; did you mean `control_group`?',
  ],
  [
    'path "e/+*" {}',
    'line 1: path "e/+*": `+*` is forbidden: `+` stands for one whole segment, `*` at the end for any rest',
  ],
  [
    'path "j/{{identity.entity.name" {}',
    'line 1: path "j/{{identity.entity.name": each {{ of a template needs its }}',
  ],
  [
    within('policy = "admin"'),
    'line 3: path "a": `admin` is none of the older words deny, read, write, sudo; give `capabilities`',
  ],
  [
    within('min_wrapping_ttl = 400 max_wrapping_ttl = 200'),
    'line 3: path "a": `max_wrapping_ttl` cannot be less than `min_wrapping_ttl`',
  ],
  [
    within('min_wrapping_ttl = "1x"'),
    'line 3: path "a": `min_wrapping_ttl`: "1x" is not a duration; allowed: seconds, or 90s, 5m, 1h30m, 2d',
  ],
  [within('required_parameters = "x"'), 'line 3: path "a": `required_parameters` must be a list of texts'],
  [
    within('allowed_parameters = { x = 5 }'),
    'line 3: path "a": `allowed_parameters` must be names, each with a list of values: { name = ["a", "b"] }',
  ],
  [
    within('expiration = "2030-01-01"'),
    'line 3: path "a": `expiration` must be a time, such as 2027-01-31T00:00:00Z',
  ],
  [within('pagination_limit = "x"'), 'line 3: path "a": `pagination_limit` must be a whole number'],
  [
    within('list_scan_response_keys_filter_path = "x"'),
    'line 3: path "a": `list_scan_response_keys_filter_path` needs the name of the key in it: {{ .path }}{{ .key }}',
  ],
  [within('comment = "a" comment = "b"'), 'line 3: path "a": `comment` is given twice; give it once'],
  [
    'path "a" { list_scan_response_keys_filter_path = "{{.key}}" }',
    'line 1: path "a": `list_scan_response_keys_filter_path` needs the capability `list`',
  ],
  ['path {}', 'line 1: a rule is written as path "secret/*" { capabilities = ["read"] }'],
  ['name = true', 'line 1: `name` must be a text'],
  ['path \u00a0"m/*" {}', 'line 1: illegal character U+00A0'],
  ['\n\npath', 'line 3: expected = or { after path, got the end'],
])('%s is refused', (text, message) => {
  expect(messages(text)).toEqual([message]);
});

test('every problem is said, of every rule', () => {
  expect(messages('path "a" { x = 1 policy = "p" }\npath "b/+*" { capabilities = ["y", "z"] }')).toHaveLength(
    5,
  );
});

describe('a control group', () => {
  const factor = 'controlled_capabilities = ["read"] identity { group_names = ["x"] approvals = 1 }';

  test('has a time to live and factors', () => {
    expect(messages(within(`control_group { ttl = "4h" factor "ops" { ${factor} } }`))).toEqual([]);
  });

  test.each([
    ['', 'a control group needs a `factor`'],
    ['tl = 5', 'a control group has no `tl`; did you mean `ttl`?'],
    ['ttl = "x"', '`ttl`: "x" is not a duration'],
    [`factor { ${factor} }`, 'a `factor` of a control group needs a name'],
    [
      'factor "a" { identity { approvals = 1 } }',
      'a `factor` of a control group needs the `group_names` of who approves',
    ],
    [
      'factor "a" { identity { group_names = ["x"] } }',
      'a `factor` of a control group needs its number of `approvals`',
    ],
    [
      `factor "a" { x = 1 ${factor} }`,
      'a factor of a control group has no `x`; known: controlled_capabilities, identity',
    ],
  ])('{ %s } is refused', (inside, message) => {
    expect(messages(within(`control_group { ${inside} }`))).toContain(`line 3: path "a": ${message}`);
  });

  test('of OpenBao names what it controls', () => {
    const text = within('control_group { factor "a" { identity { group_names = ["x"] approvals = 1 } } }');
    expect([policyProblems(text, 'any'), policyProblems(text, 'openbao')]).toEqual([
      [],
      [expect.objectContaining({ message: expect.stringContaining('controlled_capabilities') })],
    ]);
  });
});

test('what only Vault takes is refused for OpenBao', () => {
  const text = within('subscribe_event_types = ["*"]').replace('"list"', '"subscribe", "recover"');
  expect([policyProblems(text, 'any'), policyProblems(text, 'openbao')]).toMatchObject([
    [],
    [{ words: /invalid key/ }, { words: /"subscribe"/ }, { words: /"recover"/ }].map(({ words }) => ({
      words: expect.stringMatching(words),
    })),
  ]);
});

test('a rule that is over is not looked into', () => {
  const text = 'path "a/+*" { capabilities = ["reed"] expiration = "2020-01-01T00:00:00Z" }';
  expect([policyProblems(text, 'any').length, policyProblems(text, 'any', 2n ** 62n)]).toEqual([2, []]);
});

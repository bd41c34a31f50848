import { describe, expect, test } from '@jest/globals';
import { editPolicy, type RuleEdit } from '../../../src/graph/policies/edit-policy.ts';

const edited = (text: string, edits: Record<string, string[] | 'deleted'>) =>
  editPolicy(
    text,
    new Map(
      Object.entries(edits).map(([pattern, edit]): [string, RuleEdit] => [
        pattern,
        edit === 'deleted' ? edit : new Set(edit),
      ]),
    ),
  );

const written = `# Of the shop.

# What it sells.
path "shop/*" {
  capabilities = ["read", "update", "list"] # all of it
}

path "shop/db" {
  capabilities = [
    "read",   # at start
    "update", # by the job
    "delete"
  ]
}

# Payments.
path "/pay/{{ identity.entity.name }}" { policy = "write" }
`;

describe('a policy in HCL keeps its comments and layout', () => {
  test('where a list in one line gets shorter', () => {
    expect(edited(written, { 'shop/*': ['list', 'read'] })).toBe(
      written.replace('["read", "update", "list"]', '["read", "list"]'),
    );
  });

  test('where a list of several lines gets shorter, with what is said of the lines that go', () => {
    expect(edited(written, { 'shop/db': ['read', 'delete'] })).toBe(
      written.replace('    "update", # by the job\n', ''),
    );
    expect(edited(written, { 'shop/db': ['read'] })).toBe(
      written.replace('    "update", # by the job\n    "delete"\n', ''),
    );
  });

  test('where a list gets empty', () => {
    expect(edited(written, { 'shop/*': [] })).toBe(written.replace('["read", "update", "list"]', '[]'));
  });

  test('where a rule goes, of whose blank lines one stays', () => {
    expect(edited(written, { 'shop/*': 'deleted' })).toBe(
      written.replace('path "shop/*" {\n  capabilities = ["read", "update", "list"] # all of it\n}\n', ''),
    );
    expect(edited('path "a" {}\n\npath "b" {}\n\npath "c" {}\n', { b: 'deleted' })).toBe(
      'path "a" {}\n\npath "c" {}\n',
    );
  });

  test('where an older word stands for the capabilities, and the pattern in another form', () => {
    expect(edited(written, { 'pay/{{identity.entity.name}}': ['read'] })).toBe(
      written.replace('policy = "write"', 'capabilities = ["read"]'),
    );
    expect(
      edited('path "a" {\n  policy = "read"\n  capabilities = ["update"]\n}', { a: ['read', 'update'] }),
    ).toBe('path "a" {\n  capabilities = ["update", "read"]\n}');
  });

  test('where a pattern is named twice', () => {
    const twice = 'path "a" { capabilities = ["read", "list"] }\npath "a" { capabilities = ["list"] }';
    expect(edited(twice, { a: ['read'] })).toBe(
      'path "a" { capabilities = ["read"] }\npath "a" { capabilities = [] }',
    );
  });

  test('where limits have names of attributes', () => {
    const text =
      'path "a" {\n  allowed_parameters = { "capabilities" = ["read"] }\n  capabilities = ["read", "list"]\n}';
    expect(edited(text, { a: ['list'] })).toBe(text.replace('["read", "list"]', '["list"]'));
  });
});

const list = (capabilities: string) => `path "a" { capabilities = ${capabilities} }`;

test.each([
  ['["read","list","update"]', '["read","update"]'],
  ['[ "read", "list", "update" ]', '[ "read", "update" ]'],
  ['["read", "list", "update",]', '["read", "update"]'],
  ['["read", /* ask */ "list", "update"]', '["read", /* ask */ "update"]'],
  ['["read", "update", /* ask */ "list"]', '["read", "update", /* ask */ ]'],
  ['[\n"read", "list",\n"update"\n]', '[\n"read", \n"update"\n]'],
  ['[\n"read",\n  "list", // ask\n\n"update"\n]', '[\n"read",\n\n"update"\n]'],
  ['[\n"read",\n"list" ,\n"update"]', '[\n"read",\n"update"]'],
  ['["list"]', '[]'],
  ['[ "read" ,"update" ]', '[ "read" ,"update" ]'],
])('without "list", %j is %j', (before, after) => {
  expect(edited(list(before), { a: ['read', 'update'] })).toBe(list(after));
});

test.each([
  ['the first of two in one line', 'path "b" {} path "a" {}', 'path "a" {}'],
  ['the last of two in one line', 'path "a" {}  path "b" {}', 'path "a" {}  '],
  ['with what is said of it', 'path "b" {} # all\npath "a" {}', '# all\npath "a" {}'],
  ['at the beginning, with its blank line', 'path "b" {}\n \npath "a" {}\n', 'path "a" {}\n'],
  ['at the end, in a line without an end', 'path "a" {}\npath "b" {}', 'path "a" {}\n'],
  ['at the end, behind a blank line', 'path "a" {}\n\n  path "b" {} \n', 'path "a" {}\n\n'],
  ['before a blank line', 'path "a" {}\npath "b" {}\n\npath "c" {}', 'path "a" {}\n\npath "c" {}'],
  ['behind a blank line', 'path "a" {}\n \npath "b" {}\npath "c" {}', 'path "a" {}\n \npath "c" {}'],
  ['at the end, before blanks', 'path "a" {}\n\npath "b" {}\n  ', 'path "a" {}\n\n'],
  ['named in quotes', '"path" "b" {}\npath "a" {}', 'path "a" {}'],
])('a rule goes: %s', (_, before, after) => {
  expect(edited(before, { b: 'deleted' })).toBe(after);
});

test.each([
  ['that gives nothing', 'path "a" {}', 'path "a" {}'],
  [
    'whose comment has the word',
    'path "a" {\n  comment = "capabilities"\n  policy = "deny"\n}',
    'path "a" {\n  comment = "capabilities"\n  capabilities = []\n}',
  ],
  [
    'with a value behind its older word',
    'path "a" {\n  policy = "sudo"\n  comment = "x"\n}',
    'path "a" {\n  capabilities = ["read", "list"]\n  comment = "x"\n}',
  ],
])('a rule %s keeps what it may', (_, before, after) => {
  expect(edited(before, { a: ['read', 'list'] })).toBe(after);
});

describe('a policy in JSON is written anew', () => {
  test('without a rule, and with the end of its line', () => {
    expect(edited(' {"name": "x"}\n', {})).toBe('{"name":"x"}\n');
  });

  test.each([
    ['in lines', 2],
    ['in one', undefined],
  ])('%s', (_, indent) => {
    const rules = { a: { capabilities: ['read', 'list'] }, b: { policy: 'write' }, c: { policy: 'deny' } };
    const text = JSON.stringify({ path: rules }, null, indent);
    const wanted = { path: { a: { capabilities: ['read'] }, c: { policy: 'deny' } } };
    expect(edited(text, { a: ['read'], b: 'deleted' })).toBe(JSON.stringify(wanted, null, indent));
  });

  test('with blocks in lists', () => {
    const text = JSON.stringify({ path: [{ a: { capabilities: ['read', 'list'] } }] });
    expect(edited(text, { a: [] })).toBe(JSON.stringify({ path: [{ a: { capabilities: [] } }] }));
  });
});

import { describe, expect, test } from '@jest/globals';
import { editPolicy, type RuleEdit } from '../../../../core/model/policies/edit-policy.ts';

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

describe('a policy in JSON is written anew', () => {
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
    const text = JSON.stringify({ path: [{ a: [{ capabilities: ['read', 'list'] }] }] });
    expect(edited(text, { a: [] })).toBe(JSON.stringify({ path: [{ a: [{ capabilities: [] }] }] }));
  });
});

test('a policy whose rules are one object in HCL is not edited', () => {
  expect(edited('path = { "a" = { capabilities = ["read"] } }', { a: [] })).toBeUndefined();
});

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { configFields, tuneFields } from '../../packages/core/src/graph/resources/auth-method.ts';
import { messageFields } from '../../packages/core/src/graph/resources/custom-message.ts';
import { groupFields } from '../../packages/core/src/graph/resources/external-group.ts';
import type { Fields } from '../../packages/core/src/graph/resources/field.ts';
import { aliasFields } from '../../packages/core/src/graph/resources/group-alias.ts';
import { policyFields } from '../../packages/core/src/graph/resources/policy.ts';
import { roleFields } from '../../packages/core/src/graph/resources/role.ts';

const declared = (...tables: Fields[]) =>
  tables.flatMap((table) => Object.keys(table).filter((name) => !table[name]?.liveOnly));

/** The fields of an interface in a component's file, and of those it extends. */
function argumentsOf(file: string, name: string): string[] {
  const path = new URL(`../../components/${file}`, import.meta.url);
  const source = ts.createSourceFile(file, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = source.statements.filter(ts.isInterfaceDeclaration).find((one) => one.name.text === name);
  const above = (found?.heritageClauses ?? []).flatMap(({ types }) => types.map((one) => one.getText()));
  const own = (found?.members ?? []).map((member) => member.name?.getText() ?? '');
  return [...above.flatMap((one) => argumentsOf(file, one)), ...own];
}

test.each([
  ['RoleArgs', 'role.ts', [...declared(roleFields), 'method', 'name', 'namespace']],
  [
    'AuthMethodArgs',
    'auth-method.ts',
    [...declared(configFields), 'path', 'type', 'description', 'tune', 'namespace'],
  ],
  ['Tune', 'auth-method.ts', declared(tuneFields)],
  [
    'ExternalGroupArgs',
    'external-group.ts',
    [...declared(groupFields), 'alias', 'aliasResource', 'mountAccessor', 'namespace'],
  ],
  ['PolicyArgs', 'policy.ts', [...declared(policyFields), 'namespace']],
  ['CustomMessageArgs', 'custom-message.ts', declared(messageFields)],
])('%s has every field that can be declared, and no other', (name, file, fields) => {
  expect(argumentsOf(file, name).sort()).toEqual([...fields].sort());
});

test('an alias has a group, a method and the provider’s name of the group', () => {
  expect(declared(aliasFields)).toEqual(['name', 'method', 'group']);
});

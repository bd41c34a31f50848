import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { z } from 'zod';
import { kinds, providerKinds } from '../../packages/core/src/graph/kinds/kinds.ts';
import { componentName } from '../../providers/providers.ts';
import { root } from '../harness/environment-under-test.ts';

/** The interfaces of the components' arguments, by name. */
const interfaces = new Map(
  readdirSync(join(root, 'providers')).flatMap((file) => {
    const text = readFileSync(join(root, 'providers', file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    return source.statements.filter(ts.isInterfaceDeclaration).map((one) => [one.name.text, one] as const);
  }),
);

/** The arguments of an interface and of those it extends. */
function argumentsOf(name: string): string[] {
  const found = interfaces.get(name);
  const above = (found?.heritageClauses ?? []).flatMap(({ types }) => types.map((one) => one.getText()));
  return [...above.flatMap(argumentsOf), ...(found?.members ?? []).map((one) => one.name?.getText() ?? '')];
}

/** What a stack file refers to is read before a component is made. */
const readBefore = ['apiServer', 'clusters', 'jwks', 'jwksFile', 'keysFromCluster'];

test.each(providerKinds)('the component of %s takes every setting of the kind', (kind) => {
  const { properties = {} } = z.toJSONSchema(kinds[kind].settings, { io: 'input', unrepresentable: 'any' });
  const settings = Object.keys(properties).filter(
    (setting) => !['kind', 'name', ...readBefore].includes(setting),
  );
  const given = argumentsOf(`${componentName(kind)}Args`);
  expect(given).toEqual(expect.arrayContaining(['service', 'roles']));
  expect(settings.filter((setting) => !given.includes(setting))).toEqual([]);
});

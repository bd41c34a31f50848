import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { writtenSchema } from '../../packages/core/src/environment/environment.ts';
import { kindById, type ProviderKind, providerKinds } from '../../packages/core/src/graph/kinds/kinds.ts';
import { messageSettings } from '../../packages/core/src/graph/resources/custom-message.ts';
import { groupSettings } from '../../packages/core/src/graph/resources/external-group.ts';
import { shapeOf } from '../../packages/core/src/graph/resources/field.ts';
import { policySettings } from '../../packages/core/src/graph/resources/policy.ts';
import { resources } from '../../packages/core/src/graph/resources/resources.ts';
import { roleFields } from '../../packages/core/src/graph/resources/role.ts';
import { sectionOfKind } from './kind-section.ts';
import { codeRows, projectFiles, read } from './markdown.ts';

const page = 'docs/environment.md';
const documented = (file: string) => codeRows(file).map(([field]) => field);

/** Lists whose entries have tables of their own, and documents of others, are not looked into. */
const elsewhere = ['roles', 'groups', 'jwks', 'link', 'options', 'metadata'];

function fieldsOf(schema: z.ZodType): string[] {
  const paths = (node: any, prefix: string): string[] =>
    Object.entries(node?.properties ?? {}).flatMap(([name, inner]) => [
      `${prefix}${name}`,
      ...(elsewhere.includes(name) ? [] : paths(inner, `${prefix}${name}.`)),
    ]);
  return paths(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), '');
}

/** The fields of a role that one kind has. */
function fieldsOfRole(settings: z.ZodType): string[] {
  const { properties } = z.toJSONSchema(settings, { io: 'output', unrepresentable: 'any' }) as any;
  return Object.keys(properties.roles.items.properties);
}

describe('docs/environment.md', () => {
  test.each([
    ['a role', Object.keys(shapeOf(roleFields))],
    ['a group', fieldsOf(groupSettings)],
    ['a policy', fieldsOf(policySettings)],
    ['a message', fieldsOf(messageSettings)],
  ])('has every field of %s', (_, fields) => {
    expect(fields.length).toBeGreaterThan(2);
    expect(documented(page)).toEqual(expect.arrayContaining(fields));
  });

  test('has every field of what stands there as a service has it', () => {
    const settings = resources.flatMap(({ yaml }) => yaml?.settings ?? []);
    expect(documented(page)).toEqual(expect.arrayContaining(settings.flatMap((one) => fieldsOf(one))));
  });

  test.each(Object.keys(writtenSchema.shape))('has the key gatehouse:%s', (key) => {
    expect(documented(page)).toContain(`gatehouse:${key}`);
  });

  test('has every environment variable of the program', () => {
    const sources = projectFiles('*.ts', '*.mjs').filter(
      (file) => !/(^|\/)(test|bench|scripts)\/|\.config\./.test(file),
    );
    const used = new Set(sources.flatMap((file) => read(file).match(/\bGATEHOUSE_[A-Z_]+\b/g) ?? []));
    expect(documented(page)).toEqual(expect.arrayContaining([...used]));
  });
});

describe('the section of a provider kind', () => {
  const common = documented(page);
  const pipelines = /^## Pipelines\n([\s\S]*?)^## /m.exec(read('docs/providers.md'))?.[1];
  const ofPipelines = codeRows('docs/providers.md', pipelines).map(([field]) => field);
  const inSection = (kind: ProviderKind) =>
    codeRows('docs/providers.md', sectionOfKind(kind)).map(([field]) => field);

  test.each(providerKinds)('%s has every field of the kind', (kind) => {
    const { settings, shared } = kindById(kind);
    const known = new Set([...common, ...inSection(kind), ...(shared?.hosts.length ? ofPipelines : [])]);
    const fields = [...fieldsOf(settings), ...fieldsOfRole(settings)];
    expect(fields.filter((field) => !known.has(field))).toEqual([]);
  });

  test.each(providerKinds)('%s has no field that the kind does not have', (kind) => {
    const { settings } = kindById(kind);
    const fields = new Set([...fieldsOf(settings), ...fieldsOfRole(settings)]);
    expect(inSection(kind).filter((field) => !fields.has(field))).toEqual([]);
  });
});

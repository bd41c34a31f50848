import { beforeAll, describe, expect, test } from '@jest/globals';
import { read } from '../../../test/docs/markdown.ts';
import { goProgram, runProgram } from '../../../test/harness/go-program.ts';
import { runPython } from '../../../test/harness/python-package.ts';
import { toCamelCase } from '../../core/src/graph/values/wire.ts';
import { type PropertySpec, schema, type TypeSpec } from '../schema.ts';

/** What a program gives to a component, or to a type of the package: how the value of each field is made. */
interface Given {
  type: string;
  fields: Record<string, string>;
}

/** The properties of what SDKs call a type: the inputs of a component, or a nested type. Go ends both with `Args`. */
function specOf(name: string): { properties: Record<string, PropertySpec>; required: string[] } | undefined {
  const token = `gatehouse:index:${name.replace(/Args$/, '')}`;
  const component = schema.resources[token];
  if (component === undefined) {
    const type = schema.types[token];
    return type && 'properties' in type ? type : undefined;
  }
  return { properties: component.inputProperties, required: component.requiredInputs };
}

/** What is a choice of types, by each of them. */
const eachOf = (type: TypeSpec): TypeSpec[] => type.oneOf ?? [type];

const nested = ({ $ref = '' }: TypeSpec) => `gatehouse.${$ref.split(':').at(-1)}Args`;

const inPython: Record<string, string> = { string: 'str', integer: 'int', boolean: 'bool' };
function pythonOf(type: TypeSpec): string {
  if (type.items) return `[${pythonOf(type.items)}]`;
  if (type.additionalProperties) return 'dict';
  return type.$ref ? nested(type) : (inPython[type.type ?? ''] ?? '');
}

const inGo: Record<string, string> = { string: 'String', integer: 'Int', boolean: 'Bool' };
function goOf(type: TypeSpec): string {
  if (type.items) return type.items.$ref ? `[]${nested(type.items)}` : `${goOf(type.items)}Array`;
  if (type.additionalProperties) return type.additionalProperties.$ref ? 'pulumi.Map' : 'pulumi.StringMap';
  if (type.$ref) return nested(type);
  return type.plain && type.type === 'string' ? 'string' : `pulumi.${inGo[type.type ?? '']}`;
}

/** Checks what a program gives, where its text tells, against the schema. */
function expectToFit(given: Given[], nameOf: (field: string) => string, madeOf: (type: TypeSpec) => string) {
  for (const { type, fields } of given) {
    const { properties = {}, required = [] } = specOf(type) ?? {};
    const entries = Object.entries(fields).map(([field, value]) => [nameOf(field), value] as const);
    for (const [property, value] of entries) {
      expect([type, Object.keys(properties)]).toEqual([type, expect.arrayContaining([property])]);
      const wanted = eachOf(properties[property] ?? {}).map(madeOf);
      if (!value.includes('?') && !value.startsWith('config.'))
        expect([type, property, wanted]).toEqual([type, property, expect.arrayContaining([value])]);
    }
    expect(entries.map(([property]) => property)).toEqual(expect.arrayContaining(required));
  }
  const used = given.map(({ type }) => type.replace(/Args$/, ''));
  expect(used).toEqual(
    expect.arrayContaining(['Policy', 'OpenSourceIdentityServer', 'GithubActions', 'ProviderRole', 'Group']),
  );
}

test('the example in Python gives what the schema takes, by the names that SDKs have', async () => {
  const given: Given[] = await runPython(
    undefined,
    read('test/clients/python_arguments.py'),
    read('examples/languages/python/__main__.py'),
  );
  expectToFit(given, toCamelCase, pythonOf);
});

describe('the example in Go', () => {
  let program: string | undefined;
  beforeAll(async () => {
    program = await goProgram('go-arguments');
  }, 120_000);

  test('gives what the schema takes, by the names that SDKs have', async () => {
    if (program === undefined) return;
    const given: Given[] = await runProgram(program, read('examples/languages/go/main.go'));
    expectToFit(given, (field) => field.charAt(0).toLowerCase() + field.slice(1), goOf);
  });
});

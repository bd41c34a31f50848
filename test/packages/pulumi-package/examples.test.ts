import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { schema, type TypeSpec } from '../../../packages/pulumi-package/schema.ts';
import { read } from '../../docs/markdown.ts';

interface Example {
  packages: { gatehouse: string };
  variables: Record<string, unknown>;
  resources: Record<string, { type: string; properties: Record<string, unknown> }>;
  outputs: Record<string, string>;
}
const example: Example = parse(read('examples/languages/yaml/Pulumi.yaml'));
const specOf = (type: string) => schema.resources[type.replace('gatehouse:', 'gatehouse:index:')];

/** What of a value of a YAML program does not fit a type. What it refers to is looked up, or else taken to fit. */
function misfits(type: TypeSpec | undefined, given: unknown, path: string): string[] {
  const [, variable] = /^\$\{(\w+)\}$/.exec(String(given)) ?? [];
  if (variable !== undefined)
    return misfits(type, example.variables[variable] ?? 'from the configuration', path);
  const object = type?.$ref && schema.types[type.$ref.slice('#/types/'.length)];
  if (object && 'enum' in object) {
    return object.enum.some(({ value }) => value === given) ? [] : [`${path} is none of its values`];
  }
  if (object) return misfitsOf(object, given, path);
  if (type?.items) {
    if (!Array.isArray(given)) return [`${path} is no list`];
    return given.flatMap((one, index) => misfits(type.items, one, `${path}[${index}]`));
  }
  if (type?.$ref || type?.additionalProperties) return [];
  const is = Number.isInteger(given) ? 'integer' : typeof given;
  if (type?.oneOf?.some((one) => one.type === is)) return [];
  return type?.type === is ? [] : [`${path} is ${is}, not ${type?.type}`];
}

function misfitsOf(
  { properties, required }: { properties: Record<string, TypeSpec>; required: string[] },
  given: unknown,
  path: string,
): string[] {
  if (typeof given !== 'object' || given === null) return [`${path} is no map`];
  return [
    ...required.filter((name) => !(name in given)).map((name) => `${path}.${name} is missing`),
    ...Object.entries(given).flatMap(([name, value]) => misfits(properties[name], value, `${path}.${name}`)),
  ];
}

describe('the example in YAML', () => {
  test.each(Object.entries(example.resources))('%s fits the schema', (name, { type, properties }) => {
    const { inputProperties = {}, requiredInputs = [] } = specOf(type) ?? {};
    expect(misfitsOf({ properties: inputProperties, required: requiredInputs }, properties, name)).toEqual(
      [],
    );
  });

  test('refers to outputs that there are', () => {
    const text = JSON.stringify([example.resources, example.outputs]);
    const references = [...text.matchAll(/\$\{(\w+)\.(\w+)\}/g)];
    expect(references.length).toBeGreaterThan(3);
    for (const [, resource = '', output = ''] of references) {
      expect(specOf(example.resources[resource]?.type ?? '')?.properties).toHaveProperty(output);
    }
  });

  test('would not fit with a wrong type, a name that there is not, or without what is required', () => {
    const { inputProperties: properties = {}, requiredInputs: required = [] } =
      specOf('gatehouse:Policy') ?? {};
    expect(misfitsOf({ properties, required }, { name: 1, texts: 'a' }, 'p')).toEqual([
      'p.text is missing',
      'p.name is integer, not string',
      'p.texts is string, not undefined',
    ]);
  });
});

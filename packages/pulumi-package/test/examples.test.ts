import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { read } from '../../../test/docs/markdown.ts';
import { isObject } from '../../core/src/graph/values/json.ts';
import { readInputs } from '../read-inputs.ts';
import { schema } from '../schema.ts';

interface Example {
  packages: { gatehouse: string };
  variables: Record<string, unknown>;
  resources: Record<string, { type: string; properties: Record<string, unknown> }>;
  outputs: Record<string, string>;
}
const example: Example = parse(read('examples/languages/yaml/Pulumi.yaml'));
const specOf = (type: string) => schema.resources[type.replace('gatehouse:', 'gatehouse:index:')];

/** A value of the program with its variables filled in; what comes from the configuration is a text. */
function filledIn(given: unknown): unknown {
  const [, variable] = /^\$\{(\w+)\}$/.exec(String(given)) ?? [];
  if (variable !== undefined) return filledIn(example.variables[variable] ?? 'from the configuration');
  if (Array.isArray(given)) return given.map(filledIn);
  if (!isObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([name, one]) => [name, filledIn(one)]));
}

describe('the example in YAML', () => {
  test.each(Object.entries(example.resources))('%s fits the schema', async (_, { type, properties }) => {
    const spec = specOf(type);
    expect(spec && (await readInputs(spec, filledIn(properties) as typeof properties)).failures).toEqual([]);
  });

  test('refers to outputs that there are', () => {
    const text = JSON.stringify([example.resources, example.outputs]);
    const references = [...text.matchAll(/\$\{(\w+)\.(\w+)\}/g)];
    expect(references.length).toBeGreaterThan(3);
    for (const [, resource = '', output = ''] of references) {
      expect(specOf(example.resources[resource]?.type ?? '')?.properties).toHaveProperty(output);
    }
  });
});

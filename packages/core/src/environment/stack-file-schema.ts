import { z } from 'zod';
import { kindById, kindNamed } from '../graph/kinds/kinds.ts';
import { spellingsOf } from '../graph/resources/field.ts';
import { roleFields } from '../graph/resources/role.ts';
import { secretKeys } from '../graph/values/secret-keys.ts';
import { writtenSchema } from './environment.ts';

type JsonSchema = Record<string, unknown> & { properties?: Record<string, JsonSchema> };

/** As Pulumi encrypts a secret, whole or inside a map. */
const secret = { type: 'object', properties: { secure: { type: 'string' } }, required: ['secure'] };

const secrets = (description: string): JsonSchema => ({
  description,
  type: 'object',
  additionalProperties: { anyOf: [secret, { type: 'string' }] },
});

/** How schemas are written: as what a person writes, before defaults and transformations. */
const options: Parameters<typeof z.toJSONSchema>[1] = {
  io: 'input',
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }) => readable(zodSchema, jsonSchema as JsonSchema),
};

/**
 * The JSON Schema of `Pulumi.<stack>.yaml` for editors: completion, documentation and first errors while typing. Only the
 * command checks what depends on two values at once.
 */
export function stackFileSchema(): JsonSchema {
  const { properties = {}, ...rest } = z.toJSONSchema(writtenSchema, {
    ...options,
    reused: 'ref',
  }) as JsonSchema;
  const keys = {
    ...properties,
    ...Object.fromEntries(
      Object.entries(secretKeys).map(([key, { description }]) => [key, secrets(description)]),
    ),
    file: { type: 'string', description: 'A YAML file that holds the other keys, without `gatehouse:`.' },
  };
  return {
    $schema: rest['$schema'],
    title: 'Stack file of a Gatehouse environment (Pulumi.<stack>.yaml)',
    $defs: rest['$defs'],
    type: 'object',
    properties: {
      config: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(keys).map(([key, schema]) => [`gatehouse:${key}`, schema]),
        ),
        // Keys of other packages are not checked.
        propertyNames: {
          anyOf: [
            { not: { pattern: '^gatehouse:' } },
            { enum: Object.keys(keys).map((key) => `gatehouse:${key}`) },
          ],
        },
      },
    },
  };
}

/** Adapts a schema to what people write. Before normalization a value has the same shape, except for other spellings. */
function readable(schema: z.core.$ZodType, json: JsonSchema): void {
  // Not required: `gatehouse:identity` gives an authority to every provider without one.
  if (Array.isArray(json['required']))
    json['required'] = json['required'].filter((name) => name !== 'authority');
  const kind = kindNamed(json['const']);
  if (kind !== undefined) {
    const { products } = kindById(kind);
    const names = [
      kind,
      ...products,
      ...products.map((product) => product.toLowerCase().replaceAll(' ', '_')),
    ];
    delete json['const'];
    json['enum'] = [...new Set(names)];
  }
  const { def } = (schema as z.ZodType)._zod as { def: { type: string; in?: z.ZodType; out?: z.ZodType } };
  if (def.type !== 'pipe' || def.in?._zod.def.type !== 'transform' || def.out === undefined) return;
  const { $schema: _, ...shape } = z.toJSONSchema(def.out, options) as JsonSchema;
  Object.assign(json, shape);
  const { properties } = json;
  for (const [spelling, name] of Object.entries(spellingsOf(roleFields))) {
    if (properties?.[name] !== undefined) properties[spelling] = properties[name];
  }
}

import { z } from 'zod';

// What of Pulumi's metaschema (pulumi/pulumi, pkg/codegen/schema/pulumi.json) a package of components can use.
const token = z.string().regex(/^[a-zA-Z][-a-zA-Z0-9_]*:index:[A-Z][a-zA-Z0-9]*$/);
const plain = { plain: z.boolean().optional(), secret: z.literal(true).optional() };

const typeSpec: z.ZodType = z.lazy(() => z.union(forms({})));

/** A type is one of five: basic, a list, a map, a name, or any of several. */
function forms<Shape extends z.ZodRawShape>(shape: Shape) {
  return [
    z.strictObject({ ...plain, ...shape, type: z.enum(['boolean', 'integer', 'number', 'string']) }),
    z.strictObject({ ...plain, ...shape, type: z.literal('array'), items: typeSpec }),
    z.strictObject({ ...plain, ...shape, type: z.literal('object'), additionalProperties: typeSpec }),
    z.strictObject({ ...plain, ...shape, oneOf: z.array(typeSpec).min(2) }),
    z.strictObject({ ...plain, ...shape, $ref: z.string().regex(/^(#\/types\/.+|pulumi\.json#\/Any)$/) }),
  ] as const;
}

const text = z.string().min(1);
const properties = z.record(
  z.string().regex(/^[a-z][a-zA-Z0-9]*$/),
  z.lazy(() => z.union(forms({ description: text }))),
);
const enumeration = z.strictObject({
  type: z.literal('string'),
  description: text,
  enum: z.array(z.strictObject({ value: text })).min(2),
});
const object = { type: z.literal('object'), description: text, properties, required: z.array(z.string()) };

/** The form of a package's schema. */
export const packageForm = z.strictObject({
  name: z.string().regex(/^[a-zA-Z][-a-zA-Z0-9_]*$/),
  version: z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/),
  displayName: text,
  description: text,
  keywords: z.array(text),
  license: text,
  publisher: text,
  namespace: z.string().regex(/^(?!pulumi$)([a-z][a-z0-9]*)(-[a-z0-9]+)*$/),
  repository: z.url(),
  language: z.record(z.string(), z.unknown()),
  dependencies: z.array(z.never()),
  types: z.record(token, z.union([z.strictObject(object), enumeration])),
  resources: z.record(
    token,
    z.strictObject({
      ...object,
      isComponent: z.literal(true),
      inputProperties: properties,
      requiredInputs: z.array(z.string()),
    }),
  ),
});

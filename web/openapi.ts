import { z } from 'zod';

/** `sys/policies/acl/:name+` → `sys/policies/acl/{name}`. */
export function pathTemplate(pattern: string): string {
  return pattern.replace(/:(\w+)\+?/g, '{$1}');
}

export function pathParameters(template: string) {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

/** The content of a request or response. */
export function content(schema: unknown, type = 'application/json') {
  return { [type]: { schema } };
}

/** The schema of what a client sends (`input`) or gets (`output`), in the dialect of OpenAPI 3.1. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): unknown {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

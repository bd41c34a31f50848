import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

/** Adds `app.swagger()`: an OpenAPI document from the schemas of the routes that are added afterwards. */
export async function describeRoutes(
  app: FastifyInstance,
  openapi: FastifyDynamicSwaggerOptions['openapi'],
  transformObject?: FastifyDynamicSwaggerOptions['transformObject'],
): Promise<void> {
  // Routes validate requests with their zod schemas themselves.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', ...openapi },
    convertConstToEnum: false,
    stripBasePath: false,
    ...(transformObject && { transformObject }),
  });
}

/** The schema of what a client sends (`input`) or gets (`output`). */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' });
}

/** The content of a request or response, by its media type. */
export function content(schema: z.ZodType, io: 'input' | 'output', type = 'application/json') {
  return { [type]: { schema: jsonSchema(schema, io) } };
}

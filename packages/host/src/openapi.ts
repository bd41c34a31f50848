import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

/** Has an OpenAPI document made of the schemas of the routes that follow: `app.swagger()`, once it is ready. */
export async function describeRoutes(
  app: FastifyInstance,
  openapi: FastifyDynamicSwaggerOptions['openapi'],
  transformObject?: FastifyDynamicSwaggerOptions['transformObject'],
): Promise<void> {
  // Routes parse what they get by the zod schemas themselves.
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

/** The same as the content of a request or response. */
export function content(schema: z.ZodType, io: 'input' | 'output', type = 'application/json') {
  return { [type]: { schema: jsonSchema(schema, io) } };
}

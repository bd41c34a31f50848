import { z } from 'zod';
import { needsSudo } from '../policies/acl-of.ts';
import { alsoAtTop } from '../protocol/answer.ts';
import type { Operation, SecretsPath } from '../protocol/path.ts';
import { serviceVersion } from '../system/status-paths.ts';
import { authSchemas } from './auth-schemas.ts';
import { identitySchemas } from './identity-schemas.ts';
import { messageSchemas } from './message-schemas.ts';
import type { OperationSchema, PathSchemas } from './operation-schema.ts';
import { systemSchemas } from './system-schemas.ts';
import { policySchemas, tokenSchemas } from './token-schemas.ts';

/**
 * The service's description of these paths and of itself. As with real servers it needs no token; they leave out what
 * the caller may not see, this one describes the same to everyone.
 */
export function openApiDocumentPath(paths: SecretsPath[]): SecretsPath {
  let body: Record<string, unknown> | undefined;
  const path: SecretsPath = {
    pattern: 'sys/internal/specs/openapi',
    unauthenticated: true,
    operations: {
      read: () => {
        body ??= openApiDocument([...paths, path], serviceVersion);
        return { body };
      },
    },
  };
  return path;
}

/** What every path takes and answers; a test holds that it is all of them. */
export const pathSchemas: PathSchemas = {
  ...systemSchemas,
  ...policySchemas,
  ...tokenSchemas,
  ...authSchemas,
  ...identitySchemas,
  ...messageSchemas,
};

/** LIST is no method that OpenAPI has: its equal is a GET with `list=true`, at the path with a slash behind it. */
const methods = { read: 'get', list: 'get', update: 'post', delete: 'delete' } as const;

/** An OpenAPI 3.1 document of these paths. Where auth methods are mounted it leaves open: `{mount}`. */
export function openApiDocument(paths: SecretsPath[], version: string): Record<string, unknown> {
  const items: Record<string, Record<string, unknown>> = {};
  for (const { pattern, operations, unauthenticated = false } of paths) {
    for (const operation of Object.keys(operations) as Operation[]) {
      const schema = pathSchemas[pattern]?.[operation];
      if (schema === undefined) continue;
      const name = openApiPath(pattern, operation);
      items[name] ??= {
        parameters: parametersOf(name),
        ...(unauthenticated ? { 'x-vault-unauthenticated': true } : {}),
        ...(needsSudo(name.slice(1)) ? { 'x-vault-sudo': true } : {}),
      };
      items[name][methods[operation]] = operationObject(pattern, operation, schema, unauthenticated);
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Gatehouse secrets service', version },
    servers: [{ url: '/v1' }],
    paths: items,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Vault-Token' },
        neutralToken: { type: 'apiKey', in: 'header', name: 'X-Secrets-Token' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: {
        Errors: jsonSchema(z.strictObject({ errors: z.array(z.string()) }), 'output'),
      },
    },
  };
}

/** `sys/policies/acl/:name+` is `/sys/policies/acl/{name}`; a list stands at the path with a slash behind it. */
export function openApiPath(pattern: string, operation: Operation): string {
  return `/${pattern.replace(/:(\w+)\+?/g, '{$1}')}${operation === 'list' ? '/' : ''}`;
}

function parametersOf(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function operationObject(
  pattern: string,
  operation: Operation,
  { summary, body, query = [], answer, mayBeEmpty = answer === undefined }: OperationSchema,
  isOpen: boolean,
): Record<string, unknown> {
  const parameters = [
    ...(operation === 'list'
      ? [{ name: 'list', in: 'query', required: true, schema: { enum: ['true'] } }]
      : []),
    ...query.map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
  ];
  return {
    operationId: `${operation}-${pattern.replace(/[^\w]+/g, '-').replace(/-$/, '')}`,
    summary,
    ...(isOpen ? { security: [] } : { security: [{ token: [] }, { neutralToken: [] }, { bearer: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { content: json(jsonSchema(body, 'input')) } }),
    responses: {
      200: {
        description: 'Done',
        content:
          answer !== undefined && 'text' in answer
            ? { 'text/plain': { schema: jsonSchema(answer.text, 'output') } }
            : json(jsonSchema(wholeBody(pattern, answer), 'output')),
      },
      ...(mayBeEmpty ? { 204: { description: 'Done, and nothing to say' } } : {}),
      '4XX': { description: 'Refused', content: json({ $ref: '#/components/schemas/Errors' }) },
    },
  };
}

const json = (schema: unknown) => ({ 'application/json': { schema } });

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): unknown {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}

function wholeBody(pattern: string, answer: OperationSchema['answer'] = { data: z.null() }): z.ZodType {
  if ('whole' in answer) return answer.whole;
  const envelope = {
    request_id: z.uuid(),
    lease_id: z.literal(''),
    renewable: z.literal(false),
    lease_duration: z.literal(0),
    data: 'data' in answer ? answer.data : z.null(),
    wrap_info: z.null(),
    warnings: z.array(z.string()).nullable(),
    auth: 'auth' in answer ? answer.auth : z.null(),
  };
  // Some answers have their data at the top, too.
  return alsoAtTop.test(pattern) ? z.looseObject(envelope) : z.strictObject(envelope);
}

import { z } from 'zod';
import { content, jsonSchema, pathParameters, pathTemplate } from '../../../web/openapi.ts';
import { needsSudo } from '../policies/acl-of.ts';
import { alsoAtTop } from '../protocol/answer.ts';
import { type Operation, open, type PathOperation, readOnly, type SecretsPath } from '../protocol/path.ts';
import { serviceVersion } from '../system/status-paths.ts';

/** The path of the OpenAPI document. It needs no token and, unlike real servers', is the same for everyone. */
export function openApiDocumentPath(paths: SecretsPath[]): SecretsPath {
  let body: Record<string, unknown> | undefined;
  const read = () => {
    body ??= openApiDocument([...paths, path], serviceVersion);
    return { body };
  };
  const whole = z.looseObject({ openapi: z.string() });
  const path = open(readOnly('sys/internal/specs/openapi', 'This document', read, { whole }));
  return path;
}

/** OpenAPI has no method LIST: a list is described as `GET …/?list=true`. */
const methods = { read: 'get', list: 'get', update: 'post', delete: 'delete' } as const;

function openApiDocument(paths: SecretsPath[], version: string): Record<string, unknown> {
  const items: Record<string, Record<string, unknown>> = {};
  for (const { pattern, operations, unauthenticated = false } of paths) {
    for (const [operation, described] of Object.entries(operations) as [Operation, PathOperation][]) {
      const name = openApiPath(pattern, operation);
      items[name] ??= {
        parameters: pathParameters(name),
        'x-vault-unauthenticated': unauthenticated || undefined,
        'x-vault-sudo': needsSudo(name.slice(1)) || undefined,
      };
      items[name][methods[operation]] = operationObject(pattern, operation, described, unauthenticated);
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

/** `sys/policies/acl/:name+` → `/sys/policies/acl/{name}`, for a list with a trailing slash. */
export function openApiPath(pattern: string, operation: Operation): string {
  return `/${pathTemplate(pattern)}${operation === 'list' ? '/' : ''}`;
}

function operationObject(
  pattern: string,
  operation: Operation,
  described: PathOperation,
  isOpen: boolean,
): Record<string, unknown> {
  const { summary, body, query = [], data, auth, whole, text } = described;
  const { mayBeEmpty = [data, auth, whole, text].every((one) => one === undefined) } = described;
  const parameters: object[] = query.map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
  if (operation === 'list') {
    parameters.unshift({ name: 'list', in: 'query', required: true, schema: { enum: ['true'] } });
  }
  return {
    operationId: `${operation}-${pattern.replace(/[^\w]+/g, '-').replace(/-$/, '')}`,
    summary,
    security: isOpen ? [] : [{ token: [] }, { neutralToken: [] }, { bearer: [] }],
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: body && { content: content(jsonSchema(body, 'input')) },
    responses: {
      200: {
        description: 'Done',
        content:
          text === undefined
            ? content(jsonSchema(whole ?? wrapped(pattern, described), 'output'))
            : { 'text/plain': { schema: jsonSchema(text, 'output') } },
      },
      204: mayBeEmpty ? { description: 'Done, without content' } : undefined,
      '4XX': { description: 'Refused', content: content({ $ref: '#/components/schemas/Errors' }) },
    },
  };
}

function wrapped(pattern: string, { data = z.null(), auth = z.null() }: PathOperation): z.ZodType {
  const envelope = {
    request_id: z.uuid(),
    lease_id: z.literal(''),
    renewable: z.literal(false),
    lease_duration: z.literal(0),
    data,
    wrap_info: z.null(),
    warnings: z.array(z.string()).nullable(),
    auth,
  };
  // Some responses repeat their data at the top level.
  return alsoAtTop.test(pattern) ? z.looseObject(envelope) : z.strictObject(envelope);
}

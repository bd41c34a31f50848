import { content, describeRoutes, jsonSchema } from '@gatehouse/host';
import { type FastifySchema, fastify } from 'fastify';
import { z } from 'zod';
import { needsSudo } from '../policies/acl-of.ts';
import { alsoAtTop } from '../protocol/answer.ts';
import {
  type Operation,
  type PathOperation,
  readOnly,
  type SecretsPath,
  withoutToken,
} from '../protocol/path.ts';
import { serviceVersion } from '../system/status-paths.ts';

/** The path of the OpenAPI document. It needs no token and, unlike real servers', is the same for everyone. */
export function openApiDocumentPath(paths: SecretsPath[]): SecretsPath {
  let document: Promise<Record<string, unknown>> | undefined;
  const read = async () => {
    document ??= openApiDocument([...paths, path]);
    return { body: await document };
  };
  const whole = z.looseObject({ openapi: z.string() });
  const path = withoutToken(readOnly('sys/internal/specs/openapi', 'This document', read, { whole }));
  return path;
}

/** OpenAPI has no method LIST: a list is described as `GET …/?list=true`. */
const methods = { read: 'GET', list: 'GET', update: 'POST', delete: 'DELETE' } as const;

/** Uses an application that answers no requests: path patterns have more syntax than Fastify's routes. */
async function openApiDocument(paths: readonly SecretsPath[]): Promise<Record<string, unknown>> {
  const app = fastify();
  await describeRoutes(app, {
    info: { title: 'Gatehouse secrets service', version: serviceVersion },
    servers: [{ url: '/v1' }],
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Vault-Token' },
        neutralToken: { type: 'apiKey', in: 'header', name: 'X-Secrets-Token' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  });
  for (const { pattern, operations, unauthenticated = false } of paths) {
    for (const [operation, described] of Object.entries(operations) as [Operation, PathOperation][]) {
      app.route({
        method: methods[operation],
        url: `/${pattern.replace(/(:\w+)\+/g, '$1')}${operation === 'list' ? '/' : ''}`,
        schema: schemaOf(pattern, operation, described, unauthenticated),
        handler: async () => {},
      });
    }
  }
  await app.ready();
  const { paths: items = {}, ...document } = app.swagger();
  // Real servers mark paths, not operations.
  const marked = Object.entries(items).map(([name, item = {}]) => {
    const isOpen = [item.get, item.post, item.delete].some((operation) => operation?.security?.length === 0);
    return [
      name,
      {
        ...item,
        ...(isOpen && { 'x-vault-unauthenticated': true }),
        ...(needsSudo(name.slice(1)) && { 'x-vault-sudo': true }),
      },
    ];
  });
  return { ...document, paths: Object.fromEntries(marked) };
}

function schemaOf(
  pattern: string,
  operation: Operation,
  described: PathOperation,
  isOpen: boolean,
): FastifySchema {
  const { summary, body, query = [], data, auth, whole, text } = described;
  const { mayBeEmpty = [data, auth, whole, text].every((part) => part === undefined) } = described;
  const parameters = z.object({
    ...(operation === 'list' && { list: z.enum(['true']) }),
    ...Object.fromEntries(query.map((name) => [name, z.string().optional()])),
  });
  const answer =
    text === undefined
      ? content(whole ?? wrapped(pattern, described), 'output')
      : content(text, 'output', 'text/plain');
  const errors = z.strictObject({ errors: z.array(z.string()) });
  return {
    operationId: `${operation}-${pattern.replace(/[^\w]+/g, '-').replace(/-$/, '')}`,
    summary,
    security: isOpen ? [] : [{ token: [] }, { neutralToken: [] }, { bearer: [] }],
    querystring: jsonSchema(parameters, 'input'),
    ...(body && { body: { content: content(body, 'input') } }),
    response: {
      200: { description: 'Done', content: answer },
      ...(mayBeEmpty && { 204: { description: 'Done, without content', type: 'null' } }),
      '4xx': { description: 'Refused', content: content(errors, 'output') },
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

import { content, jsonSchema } from '@gatehouse/host';
import type { FastifySchema } from 'fastify';
import { type Description, type Route, refusedType } from './route.ts';

/** What the OpenAPI document says of a route: nothing, without a description. */
export function schemaOf({ method, path, description }: Route): FastifySchema {
  if (description === undefined) return { hide: true };
  const { summary, security, query, body, bodyType, answers, refused } = description;
  const refusals = {
    description: 'Refused',
    content: {
      ...content(refusedType.schema, 'output', refusedType.type),
      ...(refused && content(refused, 'output')),
    },
  };
  const answered = Object.entries(answers).map(([status, given]) => [status, answerOf(given)]);
  return {
    operationId: `${method.toLowerCase()}${path.replace(/\W+/g, '-')}`,
    summary,
    security: security === 'none' ? [] : [{ bearer: [] }],
    ...(query && { querystring: jsonSchema(query, 'input') }),
    ...(body && { body: { content: content(body, 'input', bodyType) } }),
    response: { ...Object.fromEntries(answered), '4xx': refusals, 503: refusals },
  };
}

function answerOf(given: Description['answers'][number]) {
  const description = 'Done';
  if (given === 'empty') return { description, type: 'null' };
  if (typeof given === 'string') return { description, content: { [given]: { schema: {} } } };
  return { description, content: content(given.schema, 'output') };
}

import { content, jsonSchema } from '@gatehouse/host';
import type { FastifySchema } from 'fastify';
import { type Description, type Route, refusedType } from './route.ts';

/** The schema of a route for the OpenAPI document, which hides routes without a description. */
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
  const responses = Object.entries(answers).map(([status, answer]) => [status, responseSchema(answer)]);
  return {
    operationId: `${method.toLowerCase()}${path.replace(/\W+/g, '-')}`,
    summary,
    security: security === 'none' ? [] : [{ bearer: [] }],
    ...(query && { querystring: jsonSchema(query, 'input') }),
    ...(body && { body: { content: content(body, 'input', bodyType) } }),
    response: { ...Object.fromEntries(responses), '4xx': refusals, 503: refusals },
  };
}

function responseSchema(answer: Description['answers'][number]) {
  const description = 'Done';
  if (answer === 'empty') return { description, type: 'null' };
  if (typeof answer === 'string') return { description, content: { [answer]: { schema: {} } } };
  return { description, content: content(answer.schema, 'output') };
}

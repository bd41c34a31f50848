import { content, jsonSchema, pathParameters, pathTemplate } from '../web/openapi.ts';
import { type Description, jsonAnswer, type Route, refusedType } from './route.ts';

/** The path of the OpenAPI document, which needs no token. */
const documentPath = '/openapi.json';

/** The routes with one more, which answers with the OpenAPI document of all that have a description. */
export function withOpenApi(routes: readonly Route[], version: string): Route[] {
  const document: Route = {
    method: 'GET',
    path: documentPath,
    description: { summary: 'This document', security: 'none', answers: { 200: 'application/json' } },
    answer: async () => answer,
  };
  const all = [...routes, document];
  const answer = jsonAnswer(200, openApiDocument(all, version));
  return all;
}

function openApiDocument(routes: readonly Route[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, description } of routes) {
    if (description === undefined) continue;
    const template = pathTemplate(path);
    paths[template] ??= { parameters: pathParameters(template) };
    paths[template][method.toLowerCase()] = operation(method, template, description);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'gatehouse serve', version },
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
}

function operation(method: string, template: string, description: Description) {
  const { summary, security, query, body, bodyType, answers, refused } = description;
  const refusals = { ...content(jsonSchema(refusedType.schema, 'output'), refusedType.type) };
  const own = refused && content(jsonSchema(refused, 'output'));
  const described = { description: 'Refused', content: { ...refusals, ...own } };
  return {
    operationId: `${method.toLowerCase()}${template.replace(/\W+/g, '-').replace(/-$/, '')}`,
    summary,
    security: security === 'none' ? [] : [{ bearer: [] }],
    parameters:
      query &&
      Object.entries(query.shape).map(([name, schema]) => ({
        name,
        in: 'query',
        schema: jsonSchema(schema, 'input'),
      })),
    requestBody: body && { content: content(jsonSchema(body, 'input'), bodyType), required: true },
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, given]) => [status, answered(given)])),
      '4XX': described,
      503: described,
    },
  };
}

function answered(given: Description['answers'][number]) {
  if (given === 'empty') return { description: 'Done' };
  if (typeof given === 'string') return { description: 'Done', content: { [given]: {} } };
  const { schema, type } = given;
  return { description: 'Done', content: content(jsonSchema(schema, 'output'), type) };
}

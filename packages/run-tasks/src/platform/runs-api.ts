import {
  decisionVerbs,
  listedReview,
  listedRun,
  newRun,
  refusedRequest,
  runDecisions,
  runView,
  tokenExchange,
} from '@gatehouse/core/run-task';
import { GatehouseError, parseStrictJson } from '@gatehouse/core/values';
import { z } from 'zod';
import {
  type Description,
  eventStream,
  jsonAnswer,
  type Route,
  type RouteAnswer,
  type RouteRequest,
  tokenIn,
} from '../route.ts';
import type { Caller, Callers } from './callers.ts';
import type { Choice } from './decide.ts';
import type { Platform } from './platform.ts';
import { listedReviewOf, listedRunOf, runViewOf } from './run-view.ts';

const mostListed = 100;
/** Reviews of one answer: few, because statements may be large. */
const mostReviews = 10;
/** Bytes of a body, which holds at most a stack, a task and a message. */
const largestBody = 64 * 1024;
/** Bytes of signed reviews, each of which names everyone whose access changes. */
const largestReviews = 8 * 1024 * 1024;

const run = { schema: runView };
const runs = z.object({ runs: z.array(listedRun) });
const ofStack = z.object({ stack: z.string().optional() });
const reviews = z.object({ reviews: z.array(listedReview) });
const reviewsOf = z.object({ stack: z.string(), before: z.coerce.number().int().optional() });

const statusOf: Record<string, number> = {
  sign_in_needed: 401,
  acting_refused: 403,
  caller_of_other_namespace: 403,
  accepting_refused: 403,
  run_unknown: 404,
  run_not_cancelable: 409,
  run_not_waiting: 409,
  plan_differs: 409,
  task_unknown: 409,
  request_invalid: 422,
  service_unreachable: 503,
  service_sealed: 503,
};

/** An operation of the API, without what all operations share. */
interface ApiOperation {
  method: Route['method'];
  path: string;
  needs: 'reading' | 'acting';
  description: Pick<Description, 'summary' | 'answers' | 'query' | 'body'>;
  /** Defaults to `largestBody`. */
  maxBytes?: number;
  answer(request: RouteRequest, caller: Caller): Promise<RouteAnswer>;
}

/**
 * The platform's API, for `gatehouse deploy` and other clients. Bodies are JSON; the bearer token is a token of the secrets
 * service. An error is `{"error": {"code", "message"}}`, with the codes of docs/errors.md.
 */
export function runsApi(platform: Platform, callers: Callers): Route[] {
  const operations = [
    beginRun(platform),
    listRuns(platform),
    readRun(platform),
    watchRun(platform),
    ...decisionVerbs.map((verb) => decideAboutRun(platform, verb)),
    runAgain(platform),
    listReviews(platform),
    exchangeReviews(platform),
  ];
  return operations.map((operation) => routeOf(operation, callers));
}

/** Adds what all operations share: the caller's token, and the form of errors. */
function routeOf(operation: ApiOperation, callers: Callers): Route {
  const { method, path, needs, description, maxBytes = largestBody } = operation;
  return {
    method,
    path,
    maxBytes,
    description: { ...description, security: 'bearer', refused: refusedRequest },
    async answer(request) {
      try {
        const caller = await admitted(callers, request, needs, method !== 'GET');
        return await operation.answer(request, caller);
      } catch (error) {
        if (!(error instanceof GatehouseError)) throw error;
        const { code, message } = error;
        // Any other problem of a stack's files or its service is a problem of the run, not of the platform.
        const refused: z.output<typeof refusedRequest> = { error: { code, message } };
        return jsonAnswer(statusOf[code] ?? 422, refused);
      }
    },
  };
}

function beginRun(platform: Platform): ApiOperation {
  return {
    method: 'POST',
    path: '/runs',
    needs: 'acting',
    description: { summary: 'Begin a run', body: newRun, answers: { 201: run } },
    async answer({ body }, { name }) {
      const { stack, message, speculative, allowUncommitted } = parseBody(
        newRun,
        body,
        '{"stack": "dev", "message": "…"}',
      );
      const created = await platform.createRun({
        stack,
        message,
        isSpeculative: speculative,
        allowsUncommitted: allowUncommitted,
        createdBy: name,
      });
      return jsonAnswer(201, runViewOf(created));
    },
  };
}

function listRuns(platform: Platform): ApiOperation {
  return {
    method: 'GET',
    path: '/runs',
    needs: 'reading',
    description: { summary: 'The latest runs', query: ofStack, answers: { 200: { schema: runs } } },
    async answer({ query }) {
      const { stack } = parseQuery(ofStack, query, '?stack=NAME');
      const listed = await platform.readRuns({ stack, limit: mostListed });
      return jsonAnswer(200, { runs: listed.map(listedRunOf) });
    },
  };
}

function readRun(platform: Platform): ApiOperation {
  return {
    method: 'GET',
    path: '/runs/:id',
    needs: 'reading',
    description: { summary: 'A run', answers: { 200: run } },
    answer: async (request) => jsonAnswer(200, runViewOf(await platform.readRun(runIdOf(request)))),
  };
}

function watchRun(platform: Platform): ApiOperation {
  return {
    method: 'GET',
    path: '/runs/:id/events',
    needs: 'reading',
    description: { summary: 'A run as it changes', answers: { 200: 'text/event-stream' } },
    async answer(request, caller) {
      await platform.requireRun(runIdOf(request));
      request.countAs(caller.id, 'stream');
      return eventStream(platform.events(runIdOf(request)));
    },
  };
}

function decideAboutRun(platform: Platform, verb: Choice['verb']): ApiOperation {
  const schema = runDecisions[verb];
  const example = `{${Object.keys(schema.shape).map((field) => `"${field}": "…"`)}}`;
  return {
    method: 'POST',
    path: `/runs/:id/${verb}`,
    // Accepting needs the policy that the stack names, and no other.
    needs: verb === 'accept' ? 'reading' : 'acting',
    description: { summary: `Decide about a run: ${verb}`, body: schema, answers: { 200: run } },
    async answer(request, by) {
      const choice = { verb, ...parseBody(schema, request.body, example), by } as Choice;
      return jsonAnswer(200, runViewOf(await platform.decide(runIdOf(request), choice)));
    },
  };
}

function runAgain(platform: Platform): ApiOperation {
  return {
    method: 'POST',
    path: '/runs/:id/rerun',
    needs: 'acting',
    description: { summary: 'Run again', answers: { 201: run } },
    answer: async (request, { name }) =>
      jsonAnswer(201, runViewOf(await platform.rerun(runIdOf(request), name))),
  };
}

function listReviews(platform: Platform): ApiOperation {
  return {
    method: 'GET',
    path: '/reviews',
    needs: 'reading',
    description: {
      summary: 'Signed reviews of a stack, ten at a time, the newest first',
      query: reviewsOf,
      answers: { 200: { schema: reviews } },
    },
    async answer({ query }) {
      const filter = parseQuery(reviewsOf, query, '?stack=NAME&before=NUMBER');
      const listed = await platform.readReviews({ ...filter, limit: mostReviews });
      return jsonAnswer(200, { reviews: listed.map(listedReviewOf) });
    },
  };
}

function exchangeReviews(platform: Platform): ApiOperation {
  return {
    method: 'POST',
    path: '/deploying-tokens',
    needs: 'acting',
    description: {
      summary: 'Exchange signed reviews for a deploying token',
      body: tokenExchange.asked,
      answers: { 201: { schema: tokenExchange.given } },
    },
    maxBytes: largestReviews,
    async answer({ body }, { name }) {
      const exchange = parseBody(tokenExchange.asked, body, '{"stack": "prod", "statements": ["…"]}');
      const { token, expiresAt } = await platform.deployingToken(exchange, name);
      return jsonAnswer(201, { token, expiresAt: new Date(expiresAt).toISOString() });
    },
  };
}

function runIdOf({ params }: RouteRequest): string {
  return params['id'] ?? '';
}

/** Identifies the caller of a request. @throws GatehouseError `sign_in_needed`, `acting_refused` */
async function admitted(
  callers: Callers,
  { headers, countAs }: RouteRequest,
  needs: 'reading' | 'acting',
  isFresh: boolean,
): Promise<Caller> {
  const token = tokenIn(headers.authorization);
  const caller = token === undefined ? undefined : await callers.of(token, { isFresh });
  if (caller === undefined) {
    throw new GatehouseError('sign_in_needed');
  }
  countAs(caller.id);
  if (needs === 'acting' && !caller.mayAct) {
    throw new GatehouseError('acting_refused');
  }
  return caller;
}

/** Reads a JSON body. An empty body is an empty object; a body with a duplicate property is refused. */
function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: Buffer,
  allowed: string,
): z.output<Schema> {
  return parsed(schema, strictJsonIn(body.toString('utf8') || '{}'), allowed);
}

/** Reads a query. One with a parameter twice is refused: another reader could take the other value. */
function parseQuery<Schema extends z.ZodType>(
  schema: Schema,
  query: URLSearchParams,
  allowed: string,
): z.output<Schema> {
  const values = Object.fromEntries(query);
  return parsed(schema, Object.keys(values).length === query.size ? values : undefined, allowed);
}

function strictJsonIn(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    return undefined;
  }
}

/** @throws GatehouseError `request_invalid` */
function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, allowed: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new GatehouseError('request_invalid', { allowed, values: { problems: problems.join('\n  ') } });
}

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
/** Statements may be large. */
const mostReviews = 10;
/** Bytes of a body, which is a stack, a task and a message at most. */
const largestBody = 64 * 1024;
/** Bytes of signed reviews. Each names everyone whose access changes. */
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

/**
 * The platform's API, for `gatehouse deploy` and other clients. Bodies are JSON; the bearer token is a token of the secrets
 * service. An error is `{"error": {"code", "message"}}`, with the codes of docs/errors.md.
 */
export function runsApi(platform: Platform, callers: Callers): Route[] {
  const route = (
    method: Route['method'],
    path: string,
    needs: 'reading' | 'acting',
    description: Pick<Description, 'summary' | 'answers' | 'query' | 'body'>,
    answer: (request: RouteRequest, caller: Caller) => Promise<RouteAnswer>,
    maxBytes = largestBody,
  ): Route => ({
    method,
    path,
    maxBytes,
    description: { ...description, security: 'bearer', refused: refusedRequest },
    async answer(request) {
      try {
        return await answer(request, await admitted(callers, request, needs, method !== 'GET'));
      } catch (error) {
        if (!(error instanceof GatehouseError)) throw error;
        const { code, message } = error;
        // Any other problem of a stack's files or its service is a problem of the run, not of the platform.
        const refused: z.output<typeof refusedRequest> = { error: { code, message } };
        return jsonAnswer(statusOf[code] ?? 422, refused);
      }
    },
  });
  const id = ({ params }: RouteRequest) => params['id'] ?? '';
  // Accepting takes the policy that the stack names, and no other.
  const decision = (verb: Choice['verb']) => {
    const schema = runDecisions[verb];
    const needs = verb === 'accept' ? 'reading' : 'acting';
    const about = { summary: `Decide about a run: ${verb}`, body: schema, answers: { 200: run } };
    return route('POST', `/runs/:id/${verb}`, needs, about, async (request, by) => {
      const example = `{${Object.keys(schema.shape).map((field) => `"${field}": "…"`)}}`;
      const choice = { verb, ...parseBody(schema, request.body, example), by } as Choice;
      return jsonAnswer(200, runViewOf(await platform.decide(id(request), choice)));
    });
  };
  const begin = { summary: 'Begin a run', body: newRun, answers: { 201: run } };
  const latest = { summary: 'The latest runs', query: ofStack, answers: { 200: { schema: runs } } };
  const kept = {
    summary: 'Signed reviews of a stack, ten at a time, the newest first',
    query: reviewsOf,
    answers: { 200: { schema: reviews } },
  };
  const exchanged = {
    summary: 'Exchange signed reviews for a deploying token',
    body: tokenExchange.asked,
    answers: { 201: { schema: tokenExchange.given } },
  };
  const events = { summary: 'A run as it changes', answers: { 200: 'text/event-stream' } } as const;
  return [
    route('POST', '/runs', 'acting', begin, async ({ body }, { name }) => {
      const given = parseBody(newRun, body, '{"stack": "dev", "message": "…"}');
      const { stack, message, speculative: isSpeculative, allowUncommitted: allowsUncommitted } = given;
      const run = await platform.createRun({
        stack,
        message,
        isSpeculative,
        allowsUncommitted,
        createdBy: name,
      });
      return jsonAnswer(201, runViewOf(run));
    }),
    route('GET', '/runs', 'reading', latest, async ({ query }) => {
      const { stack } = ofStack.parse(Object.fromEntries(query));
      const listed = await platform.readRuns({ stack, limit: mostListed });
      return jsonAnswer(200, { runs: listed.map(listedRunOf) });
    }),
    route('GET', '/runs/:id', 'reading', { summary: 'A run', answers: { 200: run } }, async (request) =>
      jsonAnswer(200, runViewOf(await platform.readRun(id(request)))),
    ),
    route('GET', '/runs/:id/events', 'reading', events, async (request, caller) => {
      await platform.requireRun(id(request));
      request.countAs(caller.id, 'stream');
      return eventStream(platform.events(id(request)));
    }),
    ...decisionVerbs.map(decision),
    route(
      'POST',
      '/runs/:id/rerun',
      'acting',
      { summary: 'Run again', answers: { 201: run } },
      async (request, { name }) => jsonAnswer(201, runViewOf(await platform.rerun(id(request), name))),
    ),
    route('GET', '/reviews', 'reading', kept, async ({ query }) => {
      const asked = parsed(reviewsOf, Object.fromEntries(query), '?stack=NAME&before=NUMBER');
      const listed = await platform.readReviews({ ...asked, limit: mostReviews });
      return jsonAnswer(200, { reviews: listed.map(listedReviewOf) });
    }),
    route(
      'POST',
      '/deploying-tokens',
      'acting',
      exchanged,
      async ({ body }, { name }) => {
        const asked = parseBody(tokenExchange.asked, body, '{"stack": "prod", "statements": ["…"]}');
        const { token, expiresAt } = await platform.deployingToken(asked, name);
        return jsonAnswer(201, { token, expiresAt: new Date(expiresAt).toISOString() });
      },
      largestReviews,
    ),
  ];
}

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

/** An empty body is an empty object. One that has a part twice says two things: it is none. */
function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: Buffer,
  allowed: string,
): z.output<Schema> {
  return parsed(schema, strictJsonIn(body.toString('utf8') || '{}'), allowed);
}

function strictJsonIn(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    return undefined;
  }
}

function parsed<Schema extends z.ZodType>(schema: Schema, given: unknown, allowed: string): z.output<Schema> {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new GatehouseError('request_invalid', { allowed, values: { problems: problems.join('\n  ') } });
}

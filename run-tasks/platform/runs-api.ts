import { z } from 'zod';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { limits } from '../../core/run-task/limits.ts';
import { eventStream, jsonAnswer, type Route, type RouteAnswer, type RouteRequest } from '../route.ts';
import { bearerToken } from './access-token.ts';
import type { Caller, Callers } from './callers.ts';
import type { Choice, Decider } from './decide.ts';
import type { Platform } from './platform.ts';
import { runEvents } from './run-events.ts';
import { runView, runWithTasksView } from './run-view.ts';

/** A text that a person wrote, and a database can store. */
const text = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .refine((given) => !given.includes('\0') && given.isWellFormed(), 'must be text');
const newRun = z.strictObject({
  stack: text(100).min(1),
  message: text(limits.message).default(''),
  speculative: z.boolean().default(false),
});
const planDigest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .optional();
const reason = text(limits.message)
  .transform((given) => given || undefined)
  .optional();
/** Bodies of the decisions, by the last part of their path. */
const decisions = {
  confirm: z.strictObject({ reason, planDigest }),
  discard: z.strictObject({ reason, planDigest }),
  accept: z.strictObject({ task: text(100).min(1), reason: text(limits.message).min(1), planDigest }),
  retry: z.strictObject({ task: text(100).min(1), reason, planDigest }),
  cancel: z.strictObject({ reason }),
};

const mostListed = 100;

const statusOf: Record<string, number> = {
  sign_in_needed: 401,
  acting_refused: 403,
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
    answer: (request: RouteRequest, caller: Caller) => Promise<RouteAnswer>,
  ): Route => ({
    method,
    path,
    async answer(request) {
      try {
        return await answer(request, await admitted(callers, request, needs, method !== 'GET'));
      } catch (error) {
        if (!(error instanceof GatehouseError)) throw error;
        const { code, message } = error;
        // Any other problem of a stack's files or its service is a problem of the run, not of the platform.
        return jsonAnswer(statusOf[code] ?? 422, { error: { code, message } });
      }
    },
  });
  const id = ({ params }: RouteRequest) => params['id'] ?? '';
  const decision = <Schema extends z.ZodObject>(
    name: string,
    needs: 'reading' | 'acting',
    schema: Schema,
    choice: (given: z.output<Schema>, by: Decider) => Choice,
  ) =>
    route('POST', `/runs/:id/${name}`, needs, async (request, by) => {
      const example = `{${Object.keys(schema.shape).map((field) => `"${field}": "…"`)}}`;
      const given = parseBody(schema, request.body, example);
      return jsonAnswer(200, runWithTasksView(await platform.decide(id(request), choice(given, by))));
    });
  return [
    route('POST', '/runs', 'acting', async ({ body }, { name }) => {
      const { stack, message, speculative } = parseBody(newRun, body, '{"stack": "dev", "message": "…"}');
      const given = { stack, message, isSpeculative: speculative, createdBy: name };
      return jsonAnswer(201, runWithTasksView(await platform.createRun(given)));
    }),
    route('GET', '/runs', 'reading', async ({ query }) => {
      const runs = await platform.readRuns({ stack: query.get('stack') ?? undefined, limit: mostListed });
      return jsonAnswer(200, { runs: runs.map(runView) });
    }),
    route('GET', '/runs/:id', 'reading', async (request) =>
      jsonAnswer(200, runWithTasksView(await platform.readRun(id(request)))),
    ),
    route('GET', '/runs/:id/events', 'reading', async (request) => {
      await platform.readVersion(id(request));
      return eventStream(runEvents(platform, id(request)));
    }),
    decision('confirm', 'acting', decisions.confirm, (given, by) => ({ kind: 'confirmed', by, ...given })),
    decision('discard', 'acting', decisions.discard, (given, by) => ({ kind: 'discarded', by, ...given })),
    // Takes the policy that the stack names, and no other.
    decision('accept', 'reading', decisions.accept, (given, by) => ({ kind: 'accepted', by, ...given })),
    decision('retry', 'acting', decisions.retry, (given, by) => ({ kind: 'asked_again', by, ...given })),
    decision('cancel', 'acting', decisions.cancel, (given, by) => ({ kind: 'canceled', by, ...given })),
    route('POST', '/runs/:id/rerun', 'acting', async (request, { name }) =>
      jsonAnswer(201, runWithTasksView(await platform.rerun(id(request), name))),
    ),
  ];
}

async function admitted(
  callers: Callers,
  { headers }: RouteRequest,
  needs: 'reading' | 'acting',
  isFresh: boolean,
): Promise<Caller> {
  const token = bearerToken(headers.authorization);
  const caller = token === undefined ? undefined : await callers.of(token, { isFresh });
  if (caller === undefined) {
    throw new GatehouseError({
      code: 'sign_in_needed',
      what: 'the platform needs a valid token of the secrets service, as a bearer token',
    });
  }
  if (needs === 'acting' && !caller.mayAct) {
    throw new GatehouseError({
      code: 'acting_refused',
      what: 'this token may look at runs, but not deploy or cancel',
      fix: 'Sign in to a role that gives the policy gatehouse-deploy.',
    });
  }
  return caller;
}

/** An empty body is an empty object. */
function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: Buffer,
  allowed: string,
): z.output<Schema> {
  let given: unknown;
  try {
    given = JSON.parse(body.toString('utf8') || '{}');
  } catch {
    given = undefined;
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new GatehouseError({
    code: 'request_invalid',
    what: 'not a valid request for a run',
    allowed,
    fix: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n  '),
  });
}

import {
  hasEnded,
  type Outcome,
  RunStatus,
  refusal,
  resultContentType,
  unauthorized,
  wireOutcome,
} from '@gatehouse/core/run-task';
import { GatehouseError, Stage } from '@gatehouse/core/values';
import { z } from 'zod';
import { jsonApiAnswer, type Route, type RouteAnswer, type RouteRequest, tokenIn } from '../route.ts';
import type { Callers } from './callers.ts';
import { nextStatus } from './next-status.ts';
import type { Platform } from './platform.ts';
import type { RunTask, RunWithTasks } from './run.ts';

const wholeNumber = (byDefault: number, most: number) =>
  z
    .string()
    .default(`${byDefault}`)
    .transform(Number)
    .refine((given) => given >= 1 && given <= most && Number.isInteger(given), {
      error: `must be a whole number from 1 to ${most}`,
    });
/** Which page of a list, and how many resources it has. */
const pagingOf = z.object({
  'page[number]': wholeNumber(1, Number.MAX_SAFE_INTEGER),
  'page[size]': wholeNumber(20, 100),
});

const reference = z.object({ id: z.string(), type: z.string() });
const resource = reference.extend({
  attributes: z.record(z.string(), z.unknown()),
  relationships: z
    .record(z.string(), z.object({ data: z.union([reference, z.array(reference)]) }))
    .optional(),
});
type Resource = z.output<typeof resource>;
const one = z.object({ data: resource });
const link = z.string().nullable();
const pageNumber = z.int().nullable();
const listed = z.object({
  data: z.array(resource),
  links: z.object({ self: link, first: link, prev: link, next: link, last: link }),
  meta: z.object({
    pagination: z.object({
      'current-page': z.int(),
      'page-size': z.int(),
      'prev-page': pageNumber,
      'next-page': pageNumber,
      'total-pages': z.int(),
      'total-count': z.int(),
    }),
  }),
});

/**
 * What a run's tasks came to, as JSON:API: for a holder of a token of the secrets service, and for the token of one of the
 * run's open tasks.
 */
export function readingRoutes(platform: Platform, callers: Callers): Route[] {
  const route = (
    path: string,
    { summary, schema }: { summary: string; schema: typeof one | typeof listed },
    read: (id: string) => Promise<RunWithTasks | undefined>,
    answer: (run: RunWithTasks, request: RouteRequest) => RouteAnswer,
  ): Route => ({
    method: 'GET',
    path,
    description: {
      summary,
      security: 'bearer',
      answers: { 200: { schema, type: resultContentType } },
      ...(schema === listed && { query: pagingOf }),
    },
    async answer(request) {
      const token = tokenIn(request.headers.authorization);
      const run = await read(request.params['id'] ?? '');
      try {
        const isTask = run !== undefined && (await platform.isTokenOf(run.id, token));
        const caller = isTask || token === undefined ? undefined : await callers.of(token);
        if (!isTask && caller === undefined) return jsonApiAnswer(401, unauthorized.errors);
        if (caller !== undefined) request.countAs(caller.id);
      } catch (error) {
        if (!(error instanceof GatehouseError)) throw error;
        if (error.code === 'caller_of_other_namespace') {
          return jsonApiAnswer(403, refusal(403, 'forbidden', error.parts.what).errors);
        }
        return jsonApiAnswer(503, refusal(503, 'unavailable', error.parts.what).errors);
      }
      if (run !== undefined) return answer(run, request);
      return jsonApiAnswer(404, refusal(404, 'not found', 'There is no such resource.').errors);
    },
  });
  const runOfTask = async (id: string) => {
    const run = await platform.runOfTask(id);
    return run === undefined ? undefined : await platform.readRun(run);
  };
  const taskOf = ({ tasks }: RunWithTasks, { params }: RouteRequest) =>
    tasks.find(({ id }) => id === params['id']) as RunTask;
  return [
    route('/api/v2/task-results/:id', { summary: 'A task result', schema: one }, runOfTask, (run, request) =>
      document({ data: taskResource(run, taskOf(run, request)) }),
    ),
    route(
      '/api/v2/task-results/:id/outcomes',
      { summary: 'Its outcomes', schema: listed },
      runOfTask,
      (run, request) => {
        const task = taskOf(run, request);
        return page(request, `/api/v2/task-results/${task.id}/outcomes`, task.outcomes, (outcome, index) =>
          outcomeResource(task, outcome, index),
        );
      },
    ),
    route(
      '/api/v2/runs/:id/task-stages',
      { summary: 'The stages of a run', schema: listed },
      (id) => platform.findRun(id),
      (run, request) => {
        const stages = Object.values(Stage).filter((stage) => run.tasks.some((task) => task.stage === stage));
        const path = `/api/v2/runs/${run.id}/task-stages`;
        return page(request, path, stages, (stage) => stageResource(run, stage));
      },
    ),
  ];
}

function document(body: object): RouteAnswer {
  // As bytes: see `jsonApiAnswer`.
  const bytes = Buffer.from(JSON.stringify(body));
  return { status: 200, headers: { 'content-type': resultContentType }, body: bytes };
}

function page<Item>(
  { query }: RouteRequest,
  path: string,
  items: readonly Item[],
  resource: (item: Item, index: number) => Resource,
): RouteAnswer {
  const paging = pagingOf.safeParse(Object.fromEntries(query));
  if (!paging.success) {
    const errors = paging.error.issues.map(({ path: [parameter], message }) => ({
      status: '400',
      title: 'invalid query parameter',
      detail: `${String(parameter)} ${message}`,
      source: { parameter: String(parameter) },
    }));
    return jsonApiAnswer(400, errors);
  }
  const { 'page[number]': number, 'page[size]': size } = paging.data;
  const total = Math.max(1, Math.ceil(items.length / size));
  const at = (wanted: number) =>
    wanted < 1 || wanted > total
      ? null
      : `${path}?${new URLSearchParams({ 'page[number]': String(wanted), 'page[size]': String(size) })}`;
  const first = (number - 1) * size;
  return document({
    data: items.slice(first, first + size).map((item, index) => resource(item, first + index)),
    links: { self: at(number), first: at(1), prev: at(number - 1), next: at(number + 1), last: at(total) },
    meta: {
      pagination: {
        'current-page': number,
        'page-size': size,
        'prev-page': at(number - 1) === null ? null : number - 1,
        'next-page': at(number + 1) === null ? null : number + 1,
        'total-pages': total,
        'total-count': items.length,
      },
    },
  });
}

function stageId(run: string, stage: Stage): string {
  return `${run}-${stage}`;
}

function taskResource(run: RunWithTasks, task: RunTask): Resource {
  const { id, status, message, url, name, requestUrl, stage, enforcement } = task;
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id,
    type: 'task-results',
    attributes: {
      status,
      message: message ?? null,
      url: url ?? null,
      stage,
      'task-name': name,
      'task-url': requestUrl,
      'workspace-task-enforcement-level': enforcement,
      'created-at': time(task.requestedAt),
      'updated-at': time(task.endedAt ?? task.updatedAt ?? task.acceptedAt ?? task.requestedAt),
      'outcomes-count': task.outcomes.length,
    },
    relationships: { 'task-stage': { data: { id: stageId(run.id, stage), type: 'task-stages' } } },
  };
}

function stageResource(run: RunWithTasks, stage: Stage): Resource {
  const tasks = run.tasks.filter((task) => task.stage === stage && task.supersededAt === undefined);
  return {
    id: stageId(run.id, stage),
    type: 'task-stages',
    attributes: { stage, status: stageStatus(run, stage, tasks) },
    relationships: {
      run: { data: { id: run.id, type: 'runs' } },
      'task-results': { data: tasks.map(({ id }) => ({ id, type: 'task-results' })) },
    },
  };
}

function stageStatus(run: RunWithTasks, stage: Stage, tasks: readonly RunTask[]): string {
  if (tasks.some((task) => !hasEnded(task))) return 'running';
  const next = nextStatus({
    run: { ...run, status: stage },
    tasks: run.tasks,
    decisions: run.decisions,
  })?.status;
  if (next === RunStatus.waitingForAcceptance) return run.status === next ? 'awaiting_override' : 'failed';
  return next === RunStatus.stopped ? 'failed' : 'passed';
}

function outcomeResource({ id }: RunTask, outcome: Outcome, index: number): Resource {
  return {
    id: `${id}-${index + 1}`,
    ...wireOutcome(outcome),
    relationships: { 'task-result': { data: { id, type: 'task-results' } } },
  };
}

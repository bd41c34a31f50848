import { type JsonApiError, unauthorized, unprocessable } from '../../core/run-task/json-api-error.ts';
import { parseResult } from '../../core/run-task/result.ts';
import type { Database } from '../store/database.ts';
import { taskResultOf } from './access-token.ts';
import type { RunFlow } from './run-flow.ts';
import { readOverdueRuns, readTask } from './run-task-store.ts';

/** Runs whose overdue tasks one sweep ends. */
const sweptAtOnce = 100;

/** The answer to a callback (interface.md A-2). */
export type CallbackAnswer = { status: 200 } | { status: 401 | 422; errors: JsonApiError[] };

interface TaskResultsArgs {
  database: Database;
  flow: RunFlow;
}

/** Takes a callback. Its content is stored, with everything that it causes, before it is answered. */
export async function takeCallback(
  { id, token, body }: { id: string; token: string | undefined; body: Uint8Array },
  { database, flow }: TaskResultsArgs,
): Promise<CallbackAnswer> {
  const isIts = token !== undefined && (await taskResultOf(database, token)) === id;
  if (!isIts) return unauthorized;
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return { status: 422, errors: [unprocessable('the body is not JSON', '')] };
  }
  const parsed = parseResult(json);
  if ('errors' in parsed) return { status: 422, errors: parsed.errors };
  const task = await readTask(database, id);
  // Step 7: the result, and where the run goes because of it.
  const taken = task && (await flow.take(task.run, { type: 'reported', task: id, result: parsed.result }));
  if (taken === undefined) return unauthorized;
  // Step 8: only what is stored is answered with 200.
  return taken.errors === undefined ? { status: 200 } : { status: 422, errors: taken.errors };
}

/** Ends the tasks that have no time left. */
export async function endOverdue({ database, flow }: TaskResultsArgs, now: number): Promise<void> {
  for (const run of await readOverdueRuns(database, now, sweptAtOnce)) {
    await flow.take(run, { type: 'timePassed' });
  }
}

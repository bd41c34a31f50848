import { GatehouseError } from '../../core/model/values/errors.ts';
import { hasEnded } from '../../core/run-task/task-result.ts';
import type { Database } from '../store/database.ts';
import { issueToken } from './access-token.ts';
import { type PostArgs, post } from './post.ts';
import { requestPayload } from './request-payload.ts';
import type { RunFlow } from './run-flow.ts';
import { readRun } from './run-store.ts';
import { readTask } from './run-task-store.ts';

interface SendArgs extends PostArgs {
  database: Database;
  flow: RunFlow;
}

/**
 * Sends the run task request of a task once (interface.md A-1), unless it was accepted already or the task has ended.
 *
 * @throws Error if it was not accepted, so that the queue sends it again; its message contains no secret
 */
export async function sendRequest(taskId: string, args: SendArgs): Promise<void> {
  const { database, flow, address } = args;
  const task = await readTask(database, taskId);
  if (task === undefined || hasEnded(task) || task.acceptedAt !== undefined) return;
  const run = await readRun(database, task.run);
  if (run === undefined) return;
  const sent = (trouble?: string) => flow.take(run.id, { type: 'requestSent', task: taskId, trouble });
  let trouble: string | undefined;
  try {
    // Step 4: the token is stored before anybody can use it.
    const token = await issueToken(database, taskId);
    // Step 5.
    trouble = await post(run.stack, task, requestPayload(run, task, token, address), args);
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'address_refused') {
      await flow.take(run.id, { type: 'requestRefused', task: taskId, message: error.message });
      return;
    }
    // Counted whatever it is: a task that was tried in vain ends in time.
    await sent(error instanceof GatehouseError ? error.parts.what : 'the request could not be made');
    throw error;
  }
  // Step 6.
  const after = await sent(trouble);
  const isOver = after?.tasks.some((one) => one.id === taskId && hasEnded(one));
  if (trouble === undefined || isOver) return;
  throw new Error(`the run task ${task.name} was not accepted: ${trouble}`);
}

import { setTimeout as sleep } from 'node:timers/promises';
import {
  sendTask,
  type TaskBehavior,
  type TestPlatform,
  type TestTask,
} from '../../../../test/harness/test-platform.ts';
import { Stage } from '../../../core/src/graph/values/stage.ts';
import { isFinal } from '../../../core/src/run-task/result.ts';

/** What a platform sees of an integrator, at which something can happen. */
export type PlatformMoment = 'acknowledged' | 'plan' | 'running taken' | 'final refused' | 'final taken';

/** Tasks that a platform sends, each until it was answered with 200, and what becomes of them. */
export class TasksInFlight {
  readonly #platform: TestPlatform;
  /** Of the integrator as it is now: another one may take its place. */
  readonly #url: () => string;
  readonly #tasks: TestTask[] = [];
  readonly #sending: Promise<void>[] = [];
  readonly #over = new AbortController();

  constructor(platform: TestPlatform, url: () => string) {
    this.#platform = platform;
    this.#url = url;
  }

  /**
   * Sends some at once.
   *
   * @param at the moment of the first of which `onStrike` is told, or of the nth; their stages depend on `seed`
   * @param at.onStrike at `running taken` and `final taken` the connection is lost with it
   */
  send(
    count: number,
    at: { moment?: PlatformMoment; nth: number; seed: number; onStrike: () => void },
  ): void {
    let left = at.nth;
    const strike = () => {
      left -= 1;
      if (left === 0) at.onStrike();
      return left === 0;
    };
    for (let index = 0; index < count; index += 1) {
      const stage = at.moment === 'plan' ? Stage.postPlan : Object.values(Stage)[(at.seed + index) % 4];
      const task = this.#platform.newTask({
        stage: stage ?? Stage.prePlan,
        ...behaviorAt(at.moment, strike),
      });
      this.#tasks.push(task);
      this.#sending.push(this.#sendUntilTaken(task, at.moment === 'acknowledged' ? strike : () => false));
    }
  }

  /** Settles when all have been answered with 200. */
  async allTaken(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** Sends no more. */
  stop(): void {
    this.#over.abort();
  }

  /** The tasks that have not exactly one final result, or were sent different ones, with all that was said of them. */
  wrong(): string[] {
    return this.#tasks
      .filter((task) => task.finals.length !== 1 || new Set(finalsSent(task)).size !== 1)
      .map(({ id, behavior, callbacks }) => {
        const calls = callbacks.map(({ result, answered }) => `${result?.status} ${answered}`);
        return `${id} ${behavior.stage}: ${calls.join(', ')}`;
      });
  }

  async #sendUntilTaken(task: TestTask, onTaken: () => boolean): Promise<void> {
    while (!this.#over.signal.aborted) {
      const answer = await sendTask(this.#url(), task.payload, { key: 'k' }).catch(() => undefined);
      if (answer?.status === 200) break;
      await sleep(50);
    }
    onTaken();
  }
}

function behaviorAt(moment: PlatformMoment | undefined, strike: () => boolean): Partial<TaskBehavior> {
  switch (moment) {
    case 'plan':
      return { onPlan: () => void strike() };
    case 'running taken':
      return { onCallback: (_, result) => (result?.status === 'running' && strike() ? 'lose' : 'take') };
    case 'final taken':
      return { onCallback: (_, result) => (result && isFinal(result.status) && strike() ? 'lose' : 'take') };
    case 'final refused':
      return {
        onCallback: (_, result) => (result && isFinal(result.status) && strike() ? 'refuse' : 'take'),
      };
    default:
      return {};
  }
}

function finalsSent({ callbacks }: TestTask): (string | undefined)[] {
  return callbacks.flatMap(({ result }) => (result && isFinal(result.status) ? [result.status] : []));
}

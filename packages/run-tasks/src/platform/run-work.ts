import { planDigest, RunStatus } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import { applyLog } from './apply-log.ts';
import { requireCommitted, uncommittedFiles } from './run.ts';
import type { RunFlow } from './run-flow.ts';
import { isTurnOf, lockStack, readPlan, readRun, type StoredPlan } from './run-store.ts';
import type { RunEvent } from './step.ts';
import { verifyTasks } from './verify-tasks.ts';
import type { PlatformParts, RunDescription } from './work.ts';

/**
 * The jobs of a run: what it does between its stages. Each may be called again after a crash at any point, and does
 * nothing if its part is done or the run has moved on.
 */
export class RunWork {
  readonly #parts: PlatformParts;
  readonly #flow: RunFlow;
  /** Names of the stacks that are at work in this process. */
  readonly #busy = new Set<string>();

  constructor(parts: PlatformParts, flow: RunFlow) {
    this.#parts = parts;
    this.#flow = flow;
  }

  async start(id: string): Promise<void> {
    const { database, work } = this.#parts;
    const run = await readRun(database, id);
    if (run?.status !== RunStatus.pending || !(await isTurnOf(database, run))) return;
    // Step 2. The stack may have changed while the run waited, so its present tasks gate the run.
    const event = await this.#eventAfter(RunStatus.pending, async () => {
      const description = await work.describe(run.stack);
      requireCommitted({ ...run, description });
      return {
        type: 'started' as const,
        description,
        ...(await verifyTasks({ ...run, description }, this.#parts)),
      };
    });
    // Step 3.
    await this.#flow.take(id, async (sql) => {
      await lockStack(sql, run.stack);
      return (await isTurnOf(sql, run)) ? event : undefined;
    });
  }

  async plan(id: string): Promise<void> {
    const { database, work } = this.#parts;
    await this.#exclusively(id, async () => {
      const run = await readRun(database, id);
      if (run?.status !== RunStatus.planning) return;
      const { stack, isSpeculative, description } = run;
      const stored: StoredPlan = {};
      // Step 9.
      const event = await this.#eventAfter(RunStatus.planning, async () => {
        const { json, changes, filesDigest, review, ...planned } = await work.plan(stack, { isSpeculative });
        // The plan itself has the digest of the files that it read.
        const current = await work.describe(stack, { withFiles: false });
        requireSameFiles(description, { ...current, filesDigest });
        // The plan as the store will return it, so that digests agree.
        stored.plan = JSON.parse(JSON.stringify(json));
        stored.changes = changes;
        stored.review = review;
        return { type: 'planned' as const, planDigest: planDigest(stored.plan), plan: planned };
      });
      // Step 10.
      await this.#flow.take(id, event, stored);
    });
  }

  async apply(id: string): Promise<void> {
    const { database, work, log } = this.#parts;
    await this.#exclusively(id, async () => {
      let plan: unknown;
      // Step 11.
      const started = await this.#flow.take(id, async (sql) => {
        plan = await readPlan(sql, id);
        return { type: 'applyStarted', planDigest: planDigest(plan) };
      });
      if (started?.run.status !== RunStatus.applying) return;
      const { run, before } = started;
      const store = applyLog(id, database, log);
      let stored: Promise<void> | undefined;
      const onProgress = (line: string) => {
        stored = store(line);
      };
      // Step 12.
      const event = await this.#eventAfter(RunStatus.applying, async () => {
        const isResumed = before.applyStartedAt !== undefined;
        if (isResumed) onProgress('The apply was interrupted. It goes on.');
        const { succeeded, message } = await work.apply(run.stack, plan, { isResumed, onProgress });
        if (succeeded) return { type: 'applied' };
        this.#throwIfStopping();
        return { type: 'workFailed', in: RunStatus.applying, reason: message };
      });
      await stored;
      // Step 13.
      await this.#flow.take(id, event);
    });
  }

  /**
   * Plans or applies one run of a stack at a time, across all processes on the database: a run that only plans does not wait
   * for its turn. The lock belongs to an open transaction: it ends with its process, however that ends, and does not depend
   * on clocks.
   *
   * @throws Error if the stack is at work, so that the job is retried later
   */
  async #exclusively(run: string, work: () => Promise<void>): Promise<void> {
    const { database } = this.#parts;
    const name = `the stack ${(await readRun(database, run))?.stack}`;
    if (this.#busy.has(name)) throw new Error(`${name} is at work in this process`);
    this.#busy.add(name);
    try {
      // A database that is not shared has one transaction at a time: an open one would block everything.
      if (!database.isShared) return await work();
      await database.transaction(async (sql) => {
        const lock = 'SELECT pg_try_advisory_xact_lock(4774003, hashtext($1)) AS locked';
        const [row] = await sql.query(lock, [name]);
        if (row?.['locked'] !== true) throw new Error(`${name} is at work in another process`);
        await work();
      });
    } finally {
      this.#busy.delete(name);
    }
  }

  /** Does work and returns its event. Failed work ends the run; only failures around it are retried. */
  async #eventAfter(status: RunStatus, work: () => Promise<RunEvent>): Promise<RunEvent> {
    try {
      return await work();
    } catch (err) {
      this.#throwIfStopping();
      const failed = (reason: string): RunEvent => ({ type: 'workFailed', in: status, reason });
      if (err instanceof GatehouseError) return failed(err.message);
      this.#parts.log.error({ err }, 'a run failed unexpectedly');
      return failed('The run failed unexpectedly. The log says why.');
    }
  }

  /** Work that fails while this process stops was interrupted: the next process repeats it. */
  #throwIfStopping(): void {
    if (this.#parts.stopping.aborted) throw new Error('the work was interrupted: the platform is stopping');
  }
}

/** Requires that integrators may download exactly the planned files. @throws GatehouseError `files_changed` */
function requireSameFiles(before: RunDescription, after: RunDescription): void {
  if (
    before.configurationVersionId === after.configurationVersionId &&
    before.filesDigest === after.filesDigest
  ) {
    return;
  }
  const nameOf = ({ configurationVersionId: version, filesDigest = 'none' }: RunDescription) =>
    `${version || 'uncommitted files'}, SHA-256 of their list ${filesDigest}`;
  const isOtherCommit = after.configurationVersionId !== '' && before.commit !== after.commit;
  const files = isOtherCommit ? `now of commit ${after.commit}` : uncommittedFiles(after);
  throw new GatehouseError('files_changed', {
    given: nameOf(after),
    allowed: nameOf(before),
    values: { files },
  });
}

import { lastingPort } from '../../../../test/harness/server-process.ts';
import { until } from '../../../../test/harness/until.ts';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import type { Stage } from '../../../core/src/graph/values/stage.ts';
import { isEnd, type RunView } from '../../../core/src/run-task/run.ts';
import { Metrics } from '../../../host/src/metrics.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { Callers } from '../../src/platform/callers.ts';
import { Platform } from '../../src/platform/platform.ts';
import { protocolRoutes } from '../../src/platform/protocol-routes.ts';
import type { RunWithTasks } from '../../src/platform/run.ts';
import { runsApi } from '../../src/platform/runs-api.ts';
import type {
  DecisionSettings,
  DeclaredRunTask,
  Planned,
  RunDescription,
  Work,
} from '../../src/platform/work.ts';
import { type RunTaskServer, startRunTaskServer } from '../../src/server.ts';
import type { Database } from '../../src/store/database.ts';
import { Queue } from '../../src/store/queue.ts';
import { makeTables } from '../../src/store/tables.ts';
import { type Received, type ScriptedIntegrator, startScriptedIntegrator } from './scripted-integrator.ts';

type ApplyOptions = Parameters<Work['apply']>[2];
type Applying = (onProgress: (line: string) => void) => Promise<{ succeeded: boolean; message: string }>;

/** The work of a platform, as a test scripts it, with a record of what was done. */
export class ScriptedWork implements Work {
  tasks: DeclaredRunTask[] = [];
  key: string | undefined = undefined;
  commit: string | null = null;
  commitMessage: string | null = null;
  /** Paths of files that are not those of the commit. */
  uncommitted: string[] | undefined;
  /** Empty where the commit has other files. */
  version = '0f3c';
  decisions: DecisionSettings | undefined;
  describeError: GatehouseError | undefined;
  filesDigest: string | undefined;
  onPlan: () => Promise<Planned> = async () => ({
    json: { steps: ['a change'] },
    filesDigest: this.filesDigest,
    hasChanges: true,
  });
  onApply: Applying = async () => ({ succeeded: true, message: 'done' });
  onExchange = async () => {};
  done: string[] = [];

  /** Has applies go on only once it is called. */
  holdApplies(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.onApply = () => promise.then(() => ({ succeeded: true, message: '' }));
    return resolve;
  }

  async describe(stack: string, { withFiles = true } = {}): Promise<RunDescription> {
    if (this.describeError !== undefined) throw this.describeError;
    return {
      organizationName: 'login',
      workspaceId: `login/${stack}`,
      workspaceName: stack,
      workspaceWorkingDirectory: '',
      configurationVersionId: this.version,
      vcsBranch: 'main',
      vcsCommitUrl: 'https://code.example.com/login/commit/0f3c',
      vcsPullRequestUrl: null,
      vcsRepoUrl: 'https://code.example.com/login',
      commit: this.commit,
      ...(withFiles && { filesDigest: this.filesDigest }),
      commitMessage: this.commitMessage,
      ...(this.uncommitted && { uncommitted: this.uncommitted }),
      tasks: this.tasks,
      decisions: this.decisions,
    };
  }

  async acceptedReview(statement: string, { by, because }: Parameters<Work['acceptedReview']>[1]) {
    return `${statement}, accepted by ${by}: ${because}`;
  }

  /** Any statement counts for the change `plan`, once. */
  async deployingToken(
    ...[, { statements, file = 'plan' }, spentAt]: Parameters<Work['deployingToken']>
  ): ReturnType<Work['deployingToken']> {
    if ((await spentAt(file)) !== undefined) throw new GatehouseError('review_missing');
    await this.onExchange();
    return {
      token: 'deploying',
      expiresAt: Date.UTC(2026, 11, 1, 13),
      change: file,
      reviews: statements.map((statement) => ({ digest: file, statement })),
      revoke: async () => void this.done.push('revoke'),
    };
  }

  async archive(filesDigest: string): Promise<Buffer | undefined> {
    return Buffer.from(`files with ${filesDigest}`);
  }

  async signingKey(): Promise<string | undefined> {
    return this.key;
  }

  async plan(stack: string, { isSpeculative }: { isSpeculative: boolean }): Promise<Planned> {
    this.done.push(`plan ${stack}${isSpeculative ? ' speculatively' : ''}`);
    return await this.onPlan();
  }

  async apply(stack: string, plan: unknown, { isResumed, onProgress = () => {} }: ApplyOptions) {
    this.done.push(`apply ${stack} ${JSON.stringify(plan)}${isResumed ? ' resumed' : ''}`);
    return await this.onApply(onProgress);
  }
}

/** Who may ask the platform's API in tests, by token. */
const people: Record<string, string[]> = {
  deployer: ['gatehouse-deploy'],
  reader: ['default'],
  root: ['root'],
  accepter: ['default', 'accept-failures'],
  // The one of another namespace.
  tenant: ['gatehouse-deploy', 'accept-failures'],
};

/** A platform with its server, on a database of the test's, a clock of the test's and an integrator of the test's. */
export class PlatformUnderTest {
  work = new ScriptedWork();
  /** Milliseconds; moves only where a test moves it. */
  now = Date.UTC(2026, 11, 1, 12);
  /** A stack that nothing was done with before the test. */
  stack = '';
  readonly metrics = new Metrics();
  database!: Database;
  platform!: Platform;
  address!: string;
  integrator!: ScriptedIntegrator;
  #queue!: Queue;
  #server: RunTaskServer | undefined;
  #stacks = 0;

  static async start(database: Database, at: { address?: string } = {}): Promise<PlatformUnderTest> {
    const started = new PlatformUnderTest();
    await started.start(database, at);
    return started;
  }

  async start(database: Database, at: { address?: string } = {}): Promise<void> {
    const address = at.address ?? `http://127.0.0.1:${await lastingPort()}`;
    this.database = database;
    this.address = address;
    this.integrator = await startScriptedIntegrator();
    await makeTables(database);
    this.#queue = new Queue(database, { pollSeconds: 0.5 });
    this.platform = new Platform({
      database,
      queue: this.#queue,
      outbound: new Outbound({ allowedOrigins: [this.integrator.address] }),
      work: {
        describe: (...asked) => this.work.describe(...asked),
        archive: (filesDigest) => this.work.archive(filesDigest),
        signingKey: () => this.work.signingKey(),
        plan: (stack, options) => this.work.plan(stack, options),
        apply: (stack, plan, options) => this.work.apply(stack, plan, options),
        acceptedReview: (statement, accepted) => this.work.acceptedReview(statement, accepted),
        deployingToken: (...asked) => this.work.deployingToken(...asked),
      },
      address: () => address,
      version: '1.2.3',
      now: () => this.now,
      metrics: this.metrics,
    });
    await this.#queue.start();
    await this.platform.start();
    const clientOf = (token: string) => ({
      read: async () => {
        // As many readers as a test needs.
        const policies = people[token] ?? (token.startsWith('person-') ? ['default'] : undefined);
        if (policies === undefined) throw new GatehouseError({ code: 'permission_denied', what: 'no' });
        return {
          data: {
            display_name: token,
            entity_id: `entity of ${token}`,
            policies,
            namespace_path: token === 'tenant' ? 'team/' : undefined,
          },
        };
      },
    });
    const callers = new Callers({ clientOf });
    this.#server = await startRunTaskServer({
      port: Number(new URL(address).port),
      routes: [...protocolRoutes(this.platform), ...runsApi(this.platform, callers)],
      checkReady: async () => undefined,
    });
  }

  /** Work and an integrator without a past. @returns the name of a stack that nothing was done with yet */
  reset(): string {
    this.work = new ScriptedWork();
    this.integrator.received = [];
    this.integrator.verifications = [];
    this.integrator.verify = () => 200;
    this.integrator.answer = () => 200;
    this.#stacks += 1;
    this.stack = `stack-${this.#stacks}`;
    return this.stack;
  }

  /** A run task of the stack that goes to the integrator. */
  task(
    name: string,
    stages: DeclaredRunTask['stages'],
    enforcement: DeclaredRunTask['enforcement'] = 'mandatory',
  ): DeclaredRunTask {
    return { name, url: `${this.integrator.address}/${name}`, stages, enforcement };
  }

  async run(
    stack = this.stack,
    { isSpeculative = false, allowsUncommitted = false } = {},
  ): Promise<RunWithTasks> {
    return await this.platform.createRun({
      stack,
      message: 'a change',
      isSpeculative,
      allowsUncommitted,
      createdBy: 'alice',
    });
  }

  /** A run with one run task, which was asked at this stage, and the request. */
  async asked(stage: Stage): Promise<{ run: RunWithTasks; request: any }> {
    this.work.tasks = [this.task('review', [stage])];
    const run = await this.run();
    return { run, request: await this.requested(run, stage) };
  }

  async cancel(id: string, by = 'bob'): Promise<RunWithTasks> {
    return await this.platform.decide(id, { verb: 'cancel', by: { name: by, policies: [] } });
  }

  /** The run once it is as a test waits for it; as it is when it never gets there. */
  async runWhen(id: string, isSo: (run: RunWithTasks) => boolean): Promise<RunWithTasks> {
    const run = () => this.platform.readRun(id);
    await until(async () => isSo(await run())).catch(() => {});
    return await run();
  }

  /** The run as its watchers see it, again after every change. */
  async *events(id: string): AsyncGenerator<RunView> {
    for await (const event of this.platform.events(id)) {
      const [, data] = /^data: (.*)$/m.exec(Buffer.from(event).toString()) ?? [];
      if (data !== undefined) yield JSON.parse(data);
    }
  }

  async ended(id: string): Promise<RunWithTasks> {
    return await this.runWhen(id, ({ status }) => isEnd(status));
  }

  /** The request for a stage of a run, once it has come and its answer is on record. A task that was retried has a new one. */
  async requested(run: { id: string }, stage: string, name?: string): Promise<any> {
    let found: Received | undefined;
    await until(async () => {
      const { tasks } = await this.platform.readRun(run.id);
      const counting = tasks.filter(
        ({ attempts, supersededAt }) => attempts > 0 && supersededAt === undefined,
      );
      found = this.integrator.received.findLast(
        ({ payload, path }) =>
          payload.stage === stage &&
          (name === undefined || path === `/${name}`) &&
          counting.some(({ id }) => id === payload.task_result_id),
      );
      return found !== undefined;
    });
    if (found === undefined) throw new Error(`no request for ${stage} came`);
    return found.payload;
  }

  /** One request of the platform's own API. */
  async ask(method: string, path: string, token?: string, body?: unknown) {
    const answer = await fetch(`${this.address}${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') };
  }

  async close(): Promise<void> {
    await this.platform.stop();
    await this.#server?.close();
    await this.#queue.stop(1000);
    this.integrator.close();
  }
}

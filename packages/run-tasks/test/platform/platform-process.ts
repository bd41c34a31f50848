import { appendFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import { isEnd } from '../../../core/src/run-task/run.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { Callers } from '../../src/platform/callers.ts';
import { Platform } from '../../src/platform/platform.ts';
import { protocolRoutes } from '../../src/platform/protocol-routes.ts';
import { runsApi } from '../../src/platform/runs-api.ts';
import type { Work } from '../../src/platform/work.ts';
import { startRunTaskServer } from '../../src/server.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { Queue } from '../../src/store/queue.ts';
import { makeTables } from '../../src/store/tables.ts';
import { dyingDatabase } from '../dying-database.ts';
import { readJournal } from './read-journal.ts';
import type { PlatformHook, PlatformProcessArgs } from './spawn-platform.ts';

/**
 * A platform in a process of its own, that is there to be killed. It makes runs of the stacks that it is told, says
 * `ready` and ends in order by SIGTERM and when all runs of the database have ended, or by SIGKILL of its own at the
 * point that it is told.
 */
const args: PlatformProcessArgs = JSON.parse(process.argv[2] ?? '');
const { at: fatal, count = 1 } = args.kill ?? {};
let passed = 0;
const point = (hook: PlatformHook) => {
  if (fatal === undefined || !('hook' in fatal) || hook !== fatal.hook) return;
  passed += 1;
  if (passed === count) process.kill(process.pid, 'SIGKILL');
};
// The next of its kind then starts in a third of the time.
flushCompileCache();

const opened = await openDatabase(args.url, args.home);
const database = dyingDatabase(
  opened,
  fatal !== undefined && 'statement' in fatal ? fatal : undefined,
  count,
);
await makeTables(opened);
const outbound = new Outbound({ allowedOrigins: [args.integrator] });
const note = (what: object) =>
  appendFileSync(args.journal, `${JSON.stringify({ pid: process.pid, ...what })}\n`);
/** Processes that have begun a plan. */
const plannersSoFar = () =>
  new Set(readJournal(args.journal).flatMap(({ what, pid }) => (what === 'plan' ? pid : []))).size;
/** Mandatory passes on record, before an apply. */
const passesOf = async (stack: string): Promise<unknown> => {
  const rows = await opened
    .query(
      `SELECT count(*)::int AS passes FROM task_results JOIN runs ON runs.id = run
        WHERE stack = $1 AND task_results.status = 'passed' AND stage <> 'post_apply'`,
      [stack],
    )
    .catch(() => []);
  if (rows[0] !== undefined) return rows[0]['passes'];
  // Some tests end the database meanwhile, and start it again.
  await sleep(50);
  return await passesOf(stack);
};
const work: Work = {
  describe: async (stack) => ({
    organizationName: 'login',
    workspaceId: stack,
    workspaceName: stack,
    workspaceWorkingDirectory: '',
    configurationVersionId: '',
    vcsBranch: null,
    vcsCommitUrl: null,
    vcsPullRequestUrl: null,
    vcsRepoUrl: null,
    tasks: [
      {
        name: 'review',
        url: `${args.integrator}/review`,
        enforcement: 'mandatory',
        stages: ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'],
      },
    ],
    decisions: { confirm: 'always' },
  }),
  signingKey: async () => 'key',
  archive: async () => undefined,
  acceptedReview: async (statement) => statement,
  deployingToken: async () => {
    throw new GatehouseError('deploying_token_undeclared');
  },
  async plan(stack) {
    note({ what: 'plan', stack });
    point('in the midst of a plan');
    await sleep(args.planMs ?? 5);
    while (plannersSoFar() < (args.planners ?? 1)) await sleep(20);
    return { json: { stack }, hasChanges: true };
  },
  async apply(stack, _plan, { isResumed, onProgress }) {
    note({ what: 'apply', stack, isResumed, passes: await passesOf(stack) });
    await sleep(5);
    onProgress?.(`created Role ${stack}`);
    point('in the midst of an apply');
    await sleep(5);
    note({ what: 'applied', stack });
    point('after an apply');
    return { succeeded: true, message: '' };
  },
};
const queue = new Queue(database, { pollSeconds: 0.5 });
const platform = new Platform({
  database,
  queue,
  work,
  address: () => `http://127.0.0.1:${args.port}`,
  version: '1.2.3',
  outbound: {
    async request(request) {
      point('before a request');
      const answer = await outbound.request(request);
      point('after a request');
      return answer;
    },
  },
});
await queue.start();
await platform.start();
const callers = new Callers({
  clientOf: () => ({ read: async () => undefined }),
});
const server = await startRunTaskServer({
  port: args.port,
  checkReady: async () => undefined,
  routes: [...protocolRoutes(platform), ...runsApi(platform, callers)].map((route) => ({
    ...route,
    async answer(request) {
      const answer = await route.answer(request);
      point('before an answer');
      return answer;
    },
  })),
});
// Whatever becomes of its test, no process is left over.
setTimeout(() => process.exit(3), 300_000).unref();
/** Milliseconds for a platform that is to be killed, once all its runs have ended: it was not, and its test fails. */
const graceMs = 5_000;
let isOver = false;
process.on('SIGTERM', () => {
  isOver = true;
});
for (const stack of args.stacks) {
  await platform.createRun({ stack, message: '', isSpeculative: false, createdBy: 'test' });
}
console.log('ready');
while (!isOver) {
  await sleep(50);
  const runs = await platform.readRuns({ limit: 10_000 }).catch(() => undefined);
  for (const { id, status } of runs ?? []) {
    if (status !== 'waiting_for_confirmation') continue;
    const by = { name: 'somebody', policies: [] };
    // Another process may be faster, or the database away.
    await platform.decide(id, { verb: 'confirm', by }).catch(() => {});
  }
  if (!runs?.every(({ status }) => isEnd(status))) continue;
  if (fatal !== undefined) await sleep(graceMs);
  isOver = true;
}
await platform.stop();
await server.close();
await queue.stop(1000);
await opened.close();
process.exit();

import { EventEmitter, on } from 'node:events';
import { beforeEach } from '@jest/globals';
import type { z } from 'zod';
import { startedForEach } from '../../../../test/harness/started.ts';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import {
  decisionKinds,
  type RunView,
  runView,
  type TaskView,
  taskView,
} from '../../../core/src/run-task/run.ts';
import { HttpBrowser } from '../../../secrets-service/test/ui/http-browser.ts';
import { pageRoutes } from '../../src/pages/page-routes.ts';
import type { DeliveryWithCallbacksView } from '../../src/pages/stored-deliveries.ts';
import type { Caller } from '../../src/platform/callers.ts';
import type { RunFilter } from '../../src/platform/run-store.ts';
import { startRunTaskServer } from '../../src/server.ts';
import type { WatchedStack } from '../../src/watch/watch-store.ts';
import type { WatchedChange } from '../../src/watch/watched-stack.ts';

export const created = '2026-11-20T10:00:00.000Z';

/** All fields of a view, without a value. */
const nothing = <Schema extends z.ZodObject>({ shape }: Schema) =>
  Object.fromEntries(Object.keys(shape).map((name) => [name, null])) as z.output<Schema>;

export function task(change: Partial<TaskView> = {}): TaskView {
  return {
    ...nothing(taskView),
    id: 'taskrs-1',
    stage: 'post_plan',
    name: 'review',
    enforcement: 'mandatory',
    status: 'passed',
    message: 'Nothing to object to.',
    outcomes: [],
    requestedAt: created,
    acceptedAt: created,
    endedAt: created,
    attempts: 1,
    ...change,
  };
}

export function run(change: Partial<RunView> = {}): RunView {
  return {
    ...nothing(runView),
    id: 'run-1',
    stack: 'dev',
    status: 'post_plan',
    message: 'Readers may read',
    isSpeculative: false,
    createdBy: 'staff-alice',
    createdAt: created,
    hasChanges: true,
    version: 1,
    hasApplied: false,
    hasUncommittedChanges: false,
    tasks: [],
    declaredTasks: [],
    toAccept: [],
    decisions: [],
    verifications: [],
    applyLog: [],
    statusTimes: [],
    ...change,
  };
}

export function delivery(change: Partial<DeliveryWithCallbacksView> = {}): DeliveryWithCallbacksView {
  return {
    id: '0b7e2c1e-0000-4000-8000-000000000001',
    endpoint: 'review',
    stage: 'post_plan',
    status: 'reviewed',
    verdict: 'failed',
    taskResultId: 'taskrs-7',
    runId: 'run-7',
    workspaceName: 'login-prod',
    organizationName: 'example',
    runAppUrl: 'https://platform.example.com/runs/run-7',
    receivedAt: created,
    deadline: '2026-11-20T10:10:00.000Z',
    endedAt: null,
    error: null,
    request: { payload_version: 1, stage: 'post_plan', run_message: 'From outside' },
    result: { status: 'failed', message: 'Everyone would be an administrator.', outcomes: [] },
    callbacks: [
      { at: created, status: 'running', httpStatus: 200, error: null },
      { at: created, status: 'failed', httpStatus: 503, error: 'The platform answers 503.' },
    ],
    ...change,
  };
}

export function watchedStack(id: string, change: Partial<WatchedStack> = {}): WatchedStack {
  const now = Date.parse(created);
  return {
    id,
    outcome: 'ok',
    summary: 'no drift',
    comparedWith: 'commit 1a2b3c4d5e6f',
    findings: [],
    now,
    listedAt: now,
    nextAt: now + 60_000,
    sinceAt: now - 86_400_000,
    readAt: now,
    seenAt: now,
    failures: 0,
    isNotified: false,
    notices: 0,
    ...change,
  };
}

/** The pages over HTTP, with runs and deliveries that the test holds in its hands. */
export async function startPages({
  trustedProxies,
  ...args
}: Partial<Pick<Parameters<typeof pageRoutes>[0], 'secure' | 'now' | 'whoami' | 'providers' | 'issuer'>> & {
  trustedProxies?: string[];
} = {}) {
  const runs = new Map<string, RunView>();
  const deliveries = new Map<string, DeliveryWithCallbacksView>();
  const watched = new Map<string, WatchedStack>();
  const watchedChanges: WatchedChange[] = [];
  const people = new Map<string, Caller>([
    ['a-deployers-token', { id: 'alice', name: 'staff-alice', mayAct: true, policies: [] }],
    ['a-readers-token', { id: 'bob', name: 'staff-bob', mayAct: false, policies: [] }],
  ]);
  /** What was done: `canceled run-1 staff-alice`. */
  const acts: string[] = [];
  const changes = new EventEmitter();
  const state: { isReachable: boolean; asked?: RunFilter } = { isReachable: true };

  /** Ends at once when its reader goes, which a generator that waits does not. */
  function events(): AsyncIterable<string> {
    const source = on(changes, 'change');
    const event = 'event: run\ndata: \n\n';
    let isFirst = true;
    return {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const { done } = isFirst ? { done: false } : await source.next();
          isFirst = false;
          return done === true ? { done, value: undefined } : { done: false, value: event };
        },
        async return() {
          await source.return?.();
          return { done: true, value: undefined };
        },
      }),
    };
  }

  const refusing = (what: unknown): never => {
    throw new GatehouseError({ code: 'run_not_cancelable', what: String(what) });
  };
  const routes = pageRoutes({
    runs: {
      async list(filter) {
        state.asked = filter;
        const { stack } = filter;
        return [...runs.values()].filter((one) => stack === undefined || one.stack === stack);
      },
      read: async (id) => runs.get(id),
      events,
      async decide(id, { by, verb, ...fields }) {
        if (runs.get(id)?.endedAt !== null) refusing('the run has ended');
        acts.push([decisionKinds[verb], id, by.name, ...Object.values(fields).filter(Boolean)].join(' '));
      },
      async rerun(id, by) {
        acts.push(`rerun ${id} ${by}`);
        return { id: 'run-2' };
      },
    },
    deliveries: {
      list: async ({ status }) =>
        [...deliveries.values()].filter((one) => status === undefined || one.status === status),
      read: async (id) => deliveries.get(id),
      async retry(id) {
        if (deliveries.get(id)?.status !== 'reviewed') refusing('only a result that waits can be retried');
        acts.push(`retry ${id}`);
      },
    },
    watched: {
      read: async (id) => (id === undefined ? [...watched.values()] : [watched.get(id) ?? []].flat()),
      changes: async () => watchedChanges,
    },
    whoami: async (token) => {
      if (state.isReachable) return people.get(token);
      throw new GatehouseError({ code: 'service_unreachable', what: 'the service does not answer' });
    },
    providers: {
      redirectUri: '',
      methods: async () => [],
      begin: refusing,
      takeForm: refusing,
      finish: refusing,
      revoke: refusing,
    },
    secure: false,
    ...args,
  });

  const server = await startRunTaskServer({ routes, checkReady: async () => undefined, trustedProxies });
  return {
    address: server.address,
    runs,
    deliveries,
    watched,
    watchedChanges,
    people,
    acts,
    state,
    /** Puts a run in the place of another, and says so. */
    change(next: RunView) {
      runs.set(next.id, next);
      changes.emit('change');
    },
    /** How many streams of news are open. */
    streams: () => changes.listenerCount('change'),
    close: () => server.close(),
  };
}

export type Pages = Awaited<ReturnType<typeof startPages>>;

/** Pages for each test, and a browser, in which who has the token is signed in. */
export function pagesPerTest({ token, ...args }: { token?: string } & Parameters<typeof startPages>[0] = {}) {
  let browser: HttpBrowser;
  const pages = startedForEach(() => startPages(args));
  beforeEach(async () => {
    browser = new HttpBrowser(pages().address);
    if (token !== undefined) await browser.submit('/ui/sign-in', { token });
  });
  return { pages: pages, browser: () => browser };
}

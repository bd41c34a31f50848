import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import { isSigned } from '../../../core/src/run-task/signature.ts';
import { listen } from '../../../host/src/listen.ts';
import { silent } from '../../src/log.ts';
import { keptMs, sweepOld } from '../../src/retention.ts';
import type { Database } from '../../src/store/database.ts';
import { Queue } from '../../src/store/queue.ts';
import { makeTables } from '../../src/store/tables.ts';
import { Notices } from '../../src/watch/notices.ts';
import { Watch, type WatchArgs } from '../../src/watch/watch.ts';
import { WatchStore } from '../../src/watch/watch-store.ts';
import type { WatchReading } from '../../src/watch/watched-stack.ts';

const minute = 60_000;
const begin = Date.UTC(2026, 10, 25);
const found = (outcome: WatchReading['outcome'] = 'ok', findings: string[] = []): WatchReading => ({
  outcome,
  findings,
  summary: `${findings.length} differ`,
  comparedWith: 'commit 1',
  unread: outcome === 'failed' ? 'all' : [],
});
const down = new GatehouseError({ code: 'service_unreachable', what: 'It does not answer.' });

describeOnBothDatabases('the watch', (databases) => {
  let database: Database;
  let now: number;
  let store: WatchStore;
  /** What is read now, by stack and process: the test ends it. */
  let running: Map<
    string,
    { end(reading: WatchReading): void; fail(error: unknown): void; signal: AbortSignal }
  >;
  let started: string[];
  const closes: (() => unknown)[] = [];

  beforeAll(async () => {
    database = await databases.openDatabase();
    await makeTables(database);
  });
  beforeEach(async () => {
    await database.query('DELETE FROM watched_stacks');
    now = begin;
    store = new WatchStore(database, () => now);
    running = new Map();
    started = [];
  });
  afterEach(async () => {
    for (const close of closes.splice(0).reverse()) await close();
  });

  /** A process; it looks when the test says so. */
  const watcher = (name: string, ids: string[], fields: Partial<WatchArgs> = {}) => {
    const watch = new Watch({
      database,
      store,
      everyMs: 5 * minute,
      log: silent,
      random: () => 1,
      listStacks: async () => ids,
      comparedWith: async () => 'commit 1',
      readStack: (id, signal) => {
        started.push(`${name} ${id}`);
        const { promise, resolve, reject } = Promise.withResolvers<WatchReading>();
        running.set(`${name} ${id}`, { end: resolve, fail: reject, signal });
        return promise;
      },
      ...fields,
    });
    closes.push(() => watch.stop());
    return watch;
  };
  /** Ends a reading, and waits until it is stored. */
  const end = async (what: string, reading: WatchReading | Error = found()) => {
    const { readAt } = await stack(what);
    if (reading instanceof Error) running.get(what)?.fail(reading);
    else running.get(what)?.end(reading);
    await until(async () => (await stack(what)).readAt !== readAt || (await stack(what)).nextAt > now);
  };
  const stack = async (what: string) => {
    const [one] = await store.read(what.split(' ').at(-1));
    if (one === undefined) throw new Error(`no stack ${what}`);
    return one;
  };

  test('reads a stack at once, and again after its time, and not before', async () => {
    const one = watcher('a', ['p/x']);
    await one.look();
    await end('a p/x');
    expect(await stack('p/x')).toMatchObject({ outcome: 'ok', sinceAt: begin, readAt: begin });
    now += 5 * minute - 1;
    await one.look();
    expect(started).toHaveLength(1);
    now += 1;
    await one.look();
    expect(started).toEqual(['a p/x', 'a p/x']);
  });

  test('reads a stack in its own time, though an earlier process had a longer one', async () => {
    const slow = watcher('a', ['p/x'], { everyMs: 24 * 60 * minute });
    await slow.look();
    await end('a p/x');
    now += 5 * minute;
    await watcher('b', ['p/x']).look();
    expect(started).toEqual(['a p/x', 'b p/x']);
  });

  test('keeps the newest thousand changes of a stack that changes at each reading', async () => {
    await store.list(['p/x', 'p/y']);
    await database.query(
      `INSERT INTO watched_changes (stack, changed_at, outcome, summary, compared_with, appeared, gone)
       SELECT id, $1, 'ok', '', '', '[]', '[]' FROM generate_series(1, 1100), unnest(ARRAY['p/x', 'p/y']) AS id`,
      [new Date(begin)],
    );
    await watcher('a', ['p/x']).look();
    await end('a p/x', found('drift', ['a role is missing']));
    const counts = 'SELECT stack, count(*)::int AS count FROM watched_changes GROUP BY stack ORDER BY stack';
    expect(await database.query(counts)).toEqual([
      { stack: 'p/x', count: 1000 },
      { stack: 'p/y', count: 1100 },
    ]);
  });

  test('reads each stack in one process at a time', async () => {
    const [one, other] = [watcher('a', ['p/x', 'p/y']), watcher('b', ['p/x', 'p/y'])];
    await Promise.all([one.look(), other.look()]);
    expect(started.map((each) => each.split(' ')[1]).sort()).toEqual(['p/x', 'p/y']);
  });

  test('reads in a process only stacks of its own checkout', async () => {
    const [one, other] = [watcher('a', ['p/x', 'p/both']), watcher('b', ['p/y', 'p/both'])];
    await other.look();
    await one.look();
    expect(started.sort()).toEqual(['a p/x', 'b p/both', 'b p/y']);
    for (const what of ['a p/x', 'b p/both', 'b p/y']) await end(what);
    now += 5 * minute;
    await one.look();
    await other.look();
    expect(started.slice(3).sort()).toEqual(['a p/both', 'a p/x', 'b p/y']);
  });

  test('gives the stacks of a dead process to another, soon', async () => {
    await watcher('a', ['p/x']).look();
    const other = watcher('b', ['p/x']);
    now += 14_000;
    await other.look();
    expect(started).toEqual(['a p/x']);
    now += 2000;
    await other.look();
    expect(started).toEqual(['a p/x', 'b p/x']);
  });

  test('leaves a stack to a process that reads it for long', async () => {
    const [one, other] = [watcher('a', ['p/x']), watcher('b', ['p/x'])];
    for (let at = 0; at < 60; at++) {
      await one.look();
      await other.look();
      now += 2000;
    }
    expect(started).toEqual(['a p/x']);
  });

  test('does not store what a process read that was taken for dead, and ends its reading', async () => {
    const [one, other] = [watcher('a', ['p/x']), watcher('b', ['p/x'])];
    await one.look();
    now += 16_000;
    await other.look();
    await end('b p/x', found('drift', ['a role is missing']));
    await one.look();
    expect(running.get('a p/x')?.signal.aborted).toBe(true);
    running.get('a p/x')?.end(found());
    await sleep(50);
    expect(await stack('p/x')).toMatchObject({ outcome: 'drift' });
  });

  test('lets no service that does not answer hold up others', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `p/dead-${at}`);
    const one = watcher('a', [...ids, 'p/x'], { lanes: { reading: 1, failing: 1 } });
    await one.look();
    for (let at = 0; at < 21; at++) {
      const [id = ''] = started.slice(-1);
      await end(id, id.includes('dead') ? down : found());
      await until(() => started.length === Math.min(21, at + 2));
    }
    now += 5 * minute;
    await one.look();
    // One that failed is read, and still does not answer.
    expect(started.slice(21).sort()).toEqual([expect.stringContaining('dead'), 'a p/x']);
    await end('a p/x');
    now += 5 * minute;
    await one.look();
    expect(started.slice(23)).toEqual(['a p/x']);
  });

  test('gives up a reading that takes too long, and ends it', async () => {
    const one = watcher('a', ['p/x'], { timeLimitMs: 20 });
    await one.look();
    await until(async () => (await stack('p/x')).outcome !== undefined);
    expect(await stack('p/x')).toMatchObject({ outcome: 'failed', summary: 'reading_too_slow', failures: 1 });
    expect(running.get('a p/x')?.signal.aborted).toBe(true);
  });

  test('says by name why a stack cannot be read, and keeps what was found', async () => {
    const one = watcher('a', ['p/x']);
    await one.look();
    await end('a p/x', found('drift', ['a role is missing']));
    now += 5 * minute;
    await one.look();
    await end('a p/x', down);
    expect(await stack('p/x')).toMatchObject({
      outcome: 'failed',
      summary: 'service_unreachable',
      problem: 'It does not answer.',
      driftAt: begin,
      findings: [{ text: 'a role is missing', since: begin }],
    });
    expect((await store.changes('p/x')).map(({ outcome, appeared }) => [outcome, appeared])).toEqual([
      ['failed', []],
      ['drift', ['a role is missing']],
    ]);
  });

  test('shows nothing of an error that is none of ours', async () => {
    const one = watcher('a', ['p/x']);
    await one.look();
    await end('a p/x', new TypeError('token s.secret'));
    expect(JSON.stringify(await stack('p/x'))).not.toContain('s.secret');
    expect(await stack('p/x')).toMatchObject({ outcome: 'failed', summary: 'internal_error' });
  });

  test('hands its stacks back when it stops', async () => {
    const [one, other] = [watcher('a', ['p/x']), watcher('b', ['p/x'])];
    await one.look();
    await one.stop();
    expect(running.get('a p/x')?.signal.aborted).toBe(true);
    await other.look();
    expect(started).toEqual(['a p/x', 'b p/x']);
  });

  test('says so of a stack that ends its process again and again, and reads the others', async () => {
    for (const process of ['a', 'b', 'c']) {
      await watcher(process, ['p/x']).look();
      now += minute;
    }
    expect(started).toEqual(['a p/x', 'b p/x', 'c p/x']);
    const one = watcher('d', ['p/x', 'p/y']);
    await one.look();
    await until(async () => (await stack('p/x')).outcome !== undefined);
    expect(await stack('p/x')).toMatchObject({ outcome: 'failed', summary: 'reading_crashed' });
    expect(started.slice(3)).toEqual(['d p/y']);
    now += 5 * minute;
    await one.look();
    expect(started.slice(4)).toContain('d p/x');
  });

  test('says when a stack was last in a checkout, and forgets it 90 days later', async () => {
    const one = watcher('a', ['p/x']);
    await one.look();
    await end('a p/x', found('drift', ['a role is missing']));
    const sweepAt = (at: number) => sweepOld({ database, now: () => at });
    await sweepAt(begin + keptMs - 1);
    expect(await stack('p/x')).toMatchObject({ listedAt: begin });
    await sweepAt(begin + keptMs);
    expect(await store.read('p/x')).toEqual([]);
    expect(await database.query('SELECT * FROM watched_changes')).toEqual([]);
  });

  test('has the last review of a stack, of the right project', async () => {
    await store.list(['p/x', 'q/x']);
    const insertRun = (id: string, workspaceId: string, gains: string | null) =>
      database.query(
        `INSERT INTO runs (id, stack, status, message, is_speculative, created_by, created_at, description, gains)
         VALUES ($1, 'x', 'applied', '', true, 'ann', $2, $3, $4)`,
        [id, new Date(begin), JSON.stringify({ workspaceId }), gains],
      );
    await insertRun('run-1', 'p/x', 'none');
    await insertRun('run-2', 'p/x', 'some');
    await insertRun('run-3', 'p/x', null);
    expect((await store.read()).map(({ reviewId }) => reviewId)).toEqual(['run-2', undefined]);
  });

  test('tells drift, failures and their end once each, signed, with nothing but counts', async () => {
    const posted: { body: Record<string, string>; isSigned: boolean }[] = [];
    let answers = [503];
    const server = createServer(async (request, response) => {
      const body = await text(request);
      const status = answers.shift() ?? 204;
      if (status === 204) {
        const signature = request.headers['x-platform-task-signature'] as string;
        posted.push({ body: JSON.parse(body), isSigned: isSigned(Buffer.from(body), signature, ['key']) });
      }
      response.writeHead(status).end();
    });
    const url = `http://127.0.0.1:${await listen(server, 0)}/hook`;
    closes.push(() => server.close());
    const queue = new Queue(database, { pollSeconds: 0.5 });
    closes.push(() => queue.stop());
    await queue.start();
    const notices = new Notices({
      url,
      key: 'key',
      queue,
      store,
      userAgent: 'test',
      log: silent,
      pageOf: (id) => `https://gatehouse.example/ui/watch/${encodeURIComponent(id)}`,
    });
    await notices.start();
    const one = watcher('a', ['p/x'], { notices });
    const next = async (reading: WatchReading | Error) => {
      await one.look();
      await end('a p/x', reading);
      now += 5 * minute;
    };
    await next(found('drift', ['role ann is missing']));
    await until(() => posted.length === 1);
    await next(found('drift', ['role ann is missing']));
    await next(down);
    answers = [];
    await next(down);
    await until(() => posted.length === 2);
    await next(down);
    await next(found());
    await until(() => posted.length === 3);
    await next(found());
    await sleep(1000);
    const page = 'https://gatehouse.example/ui/watch/p%2Fx';
    expect(posted).toEqual(
      [
        { outcome: 'drift', since: '2026-11-25T00:00:00.000Z', summary: '1 differ' },
        { outcome: 'failed', since: '2026-11-25T00:10:00.000Z', summary: 'service_unreachable' },
        { outcome: 'ok', since: '2026-11-25T00:25:00.000Z', summary: '0 differ' },
      ].map((notice) => ({ body: { stack: 'p/x', ...notice, url: page }, isSigned: true })),
    );
  });
});

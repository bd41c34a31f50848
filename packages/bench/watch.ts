import { copyFile, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../test/harness/postgres.ts';
import { type Bench, figure, result } from './frame.ts';
import { largeEnvironment } from './large.ts';
import { residentMegabytes, type ServerProcess, startServer } from './processes.ts';
import { apply, cli, environmentOf, makeProject, makeScratch, startService } from './project.ts';

/** Roles of each stack. */
const roles = 10;
const processCount = 2;
/** The oldest that a reading may be with a pause of 5 minutes. Shorter pauses are for trying this out: a take-over takes 15 s. */
const limitSeconds = 7 * 60;

/**
 * Two processes that watch stacks in a PostgreSQL, in real time: one of them is killed again and again, and started anew. How old
 * the oldest last reading of a stack was, at any second.
 */
export const watch: Bench = async ({ n = 100, seconds = 1200, rounds = 4 }, atEnd) => {
  const everySeconds = Math.max(10, Math.round(seconds / rounds));
  const service = await startService(atEnd);
  const stack = await makeProject(atEnd, 'gatehouse', largeEnvironment(roles));
  await apply(stack, environmentOf(service));
  // All stacks declare the same: what counts is how often they are read.
  const file = join(stack.directory, 'Pulumi.bench.yaml');
  for (let at = 1; at <= n; at++) await copyFile(file, join(stack.directory, `Pulumi.watched-${at}.yaml`));
  const postgres = await startPostgres();
  atEnd(() => postgres.close());
  const url = await postgres.newDatabase();
  const homes = await makeScratch(atEnd);
  const { VAULT_ADDR: _, ...inherited } = environmentOf(service);
  const start = async (): Promise<ServerProcess> => {
    const home = await mkdtemp(join(homes, 'home-'));
    const args = ['serve', '--watch', 'watched-*', '--every', `${everySeconds}s`, '--port', '0', '--json'];
    const options = { cwd: stack.directory, env: { ...inherited, DATABASE_URL: url, GATEHOUSE_HOME: home } };
    return await startServer(atEnd, [cli, ...args], options);
  };
  const processes = await Promise.all(Array.from({ length: processCount }, start));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  atEnd(() => client.end());
  const startedAt = Date.now();
  /** By stack, the last reading that was seen here. */
  const last = new Map<string, number>();
  const ages: number[] = [];
  const pauses: number[] = [];
  let [readings, kills, bad, memory] = [0, 0, 0, 0];
  let nextKill = startedAt + everySeconds * 200;
  // Each is read at least once, however long that takes.
  while (Date.now() < startedAt + seconds * 1000 || last.size < n) {
    const { rows } = await client.query<{
      id: string;
      read_at: Date | null;
      outcome: string | null;
      now: Date;
    }>('SELECT id, read_at, outcome, clock_timestamp() AS now FROM watched_stacks');
    for (const { id, read_at, outcome, now } of rows) {
      const before = last.get(id) ?? startedAt;
      const at = read_at?.getTime() ?? startedAt;
      ages.push((now.getTime() - at) / 1000);
      if (read_at === null || at === before) continue;
      readings += 1;
      if (outcome !== 'ok') bad += 1;
      if (last.has(id)) pauses.push((at - before) / 1000);
      last.set(id, at);
    }
    memory = Math.max(memory, ...processes.map(({ pid }) => residentMegabytes(pid)));
    if (Date.now() > nextKill) {
      const which = Math.floor(Math.random() * processCount);
      process.kill(processes[which]?.pid ?? 0, 'SIGKILL');
      kills += 1;
      processes[which] = await start();
      nextKill = Date.now() + everySeconds * 1000 * (0.1 + 0.2 * Math.random());
    }
    await sleep(1000);
  }
  const limit = everySeconds === 300 ? limitSeconds : undefined;
  const oldest = ages.reduce((most, age) => Math.max(most, age), 0);
  return [
    figure(
      `${last.size} stacks every ${everySeconds} s, ${processCount} processes, ${seconds} s: readings`,
      readings,
    ),
    figure('  processes killed', kills),
    figure('  oldest last reading at any second', oldest, ' s', limit),
    figure('  longest time between two readings of a stack', Math.max(0, ...pauses), ' s', limit),
    result('  readings that did not find the stack as declared', bad),
    figure('  peak resident memory of a process', memory, ' MB'),
  ];
};

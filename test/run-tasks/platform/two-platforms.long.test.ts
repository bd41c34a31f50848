import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openPostgres } from '../../../run-tasks/store/postgres.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../harness/postgres.ts';
import { freePort, PlatformUnderTest, until } from './platform-under-test.ts';
import { callBack, type ScriptedIntegrator, startScriptedIntegrator } from './scripted-integrator.ts';
import { spawnPlatform } from './spawn-platform.ts';

const block = postgresPrograms === undefined ? describe.skip : describe;

block('platforms on one PostgreSQL', () => {
  let postgres: Postgres;
  let integrator: ScriptedIntegrator;
  let folder: string;
  let journal: string;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.close());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-two-'));
    journal = join(folder, 'journal');
    integrator = await startScriptedIntegrator();
    integrator.answer = ({ payload }) => {
      void callBack(payload, 'passed');
      return 200;
    };
  });
  afterEach(() => {
    integrator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const lines = () =>
    readFileSync(journal, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('share the runs, and do nothing twice', async () => {
    const url = await postgres.newDatabase();
    const shared = { url, home: folder, integrator: integrator.address, journal, planMs: 50 };
    const stacks = (of: string) => Array.from({ length: 10 }, (_, index) => `${of}-${index}`);
    const one = spawnPlatform({ ...shared, port: await freePort(), stacks: stacks('one') });
    await one.isReady;
    const other = spawnPlatform({ ...shared, port: await freePort(), stacks: stacks('other') });
    expect(await Promise.all([one.ended, other.ended])).toEqual([0, 0]);

    const done = (what: string) => lines().filter((line) => line.what === what);
    for (const what of ['plan', 'apply']) {
      const all = done(what).map(({ stack }) => stack);
      expect(new Set(all).size).toBe(all.length);
    }
    expect(new Set(done('plan').map(({ pid }) => pid)).size).toBe(2);
    const requests = integrator.received.map(({ payload }) => `${payload.run_id} ${payload.stage}`);
    expect(new Set(requests).size).toBe(requests.length);
  });

  test('one that is ended by SIGTERM hands its jobs to the other, before anybody misses it', async () => {
    const url = await postgres.newDatabase();
    const shared = { url, home: folder, integrator: integrator.address, journal };
    const slow = spawnPlatform({ ...shared, port: await freePort(), stacks: ['dev'], planMs: 600_000 });
    await slow.isReady;
    await until(async () => integrator.received.length > 0);
    await until(async () => readLines(journal).some(({ what }) => what === 'plan'));
    slow.child.kill('SIGTERM');
    expect(await slow.ended).toBe(0);
    const [handedBack] = await jobsOf(url);
    expect(handedBack).toMatchObject({ state: 'retry' });
    expect(await spawnPlatform({ ...shared, port: await freePort(), stacks: [] }).ended).toBe(0);
    expect(lines().map(({ what }) => what)).toEqual(['plan', 'plan', 'apply', 'applied']);
  });

  test('go on where the database was ended at once, and came back', async () => {
    const url = await postgres.newDatabase();
    const under = await PlatformUnderTest.start(await openPostgres(url));
    try {
      under.work.tasks = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'].map((stage) =>
        under.task(stage, [stage as 'pre_plan']),
      );
      const run = await under.run('dev');
      await callBack(await under.requested(run, 'pre_plan'), 'passed');
      const request = await under.requested(run, 'post_plan');
      await postgres.crash();
      // What was acknowledged before is there, and what comes now is taken as soon as it can be.
      await until(async () => (await callBack(request, 'passed')).status === 200);
      const before = await under.requested(run, 'pre_apply');
      await postgres.crash();
      await until(async () => (await callBack(before, 'passed')).status === 200);
      await callBack(await under.requested(run, 'post_apply'), 'passed');
      expect((await under.ended(run.id)).status).toBe('applied');
      expect(under.work.done).toHaveLength(2);
    } finally {
      await under.close();
      await under.database.close();
    }
  }, 120_000);
});

function readLines(path: string): { what: string }[] {
  try {
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

async function jobsOf(url: string) {
  const database = await openPostgres(url);
  const jobs = await database.query("SELECT state FROM pgboss.job WHERE name = 'platform-plan'");
  await database.close();
  return jobs;
}

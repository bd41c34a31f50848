import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { postgresPrograms, startPostgres } from '../../../../test/harness/postgres.ts';
import { lastingPort } from '../../../../test/harness/server-process.ts';
import { started } from '../../../../test/harness/started.ts';
import { until } from '../../../../test/harness/until.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { readJournal } from './read-journal.ts';
import { callBack, type ScriptedIntegrator, startScriptedIntegrator } from './scripted-integrator.ts';
import { spawnPlatform } from './spawn-platform.ts';

const block = postgresPrograms === undefined ? describe.skip : describe;

block('platforms on one PostgreSQL', () => {
  let integrator: ScriptedIntegrator;
  let folder: string;
  let journal: string;
  const postgres = started(startPostgres);
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

  /** None before the first is written. */
  const lines = () => (existsSync(journal) ? readJournal(journal) : []);

  test('share the runs, and do nothing twice', async () => {
    const url = await postgres().newDatabase();
    // Each plans two at once, so that the other has plans to begin while these wait for it.
    const shared = { url, home: folder, integrator: integrator.address, journal, planners: 2 };
    const stacks = (of: string) => Array.from({ length: 10 }, (_, index) => `${of}-${index}`);
    const one = spawnPlatform({ ...shared, port: await lastingPort(), stacks: stacks('one') });
    await one.line;
    const other = spawnPlatform({ ...shared, port: await lastingPort(), stacks: stacks('other') });
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
    const url = await postgres().newDatabase();
    const shared = { url, home: folder, integrator: integrator.address, journal };
    const slow = spawnPlatform({ ...shared, port: await lastingPort(), stacks: ['dev'], planMs: 600_000 });
    await slow.line;
    await until(async () => integrator.received.length > 0);
    await until(async () => lines().some(({ what }) => what === 'plan'));
    slow.child.kill('SIGTERM');
    expect(await slow.ended).toBe(0);
    const [handedBack] = await jobsOf(url);
    expect(handedBack).toMatchObject({ state: 'retry' });
    expect(await spawnPlatform({ ...shared, port: await lastingPort(), stacks: [] }).ended).toBe(0);
    expect(lines().map(({ what }) => what)).toEqual(['plan', 'plan', 'apply', 'applied']);
  });
});

async function jobsOf(url: string) {
  const database = await openPostgres(url);
  const jobs = await database.query("SELECT state FROM pgboss.job WHERE name = 'platform-plan'");
  await database.close();
  return jobs;
}

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { recordPart } from './real-parts.ts';
import { lastingPort } from './server-process.ts';
import { uncounted } from './timed-processes.ts';

/** Where Debian has the server's programs, by version; the newest of them. */
const debian = '/usr/lib/postgresql';
const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(a) - Number(b)) : [];
export const postgresPrograms =
  versions.length === 0 ? undefined : join(debian, versions.at(-1) ?? '', 'bin');

/** A running PostgreSQL of the test's own, on loopback. */
export interface Postgres {
  /** A new, empty database; its URL. */
  newDatabase(): Promise<string>;
  /** Ends it at once, without a shutdown (`immediate`), and starts it again on the same files. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

/** PostgreSQL refuses to run as root: then it runs as Debian's own user for it. */
function postgresUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const entry = readFileSync('/etc/passwd', 'utf8').match(/^postgres:[^:]*:(\d+):(\d+):/m);
  return { uid: Number(entry?.[1]), gid: Number(entry?.[2]) };
}

export async function startPostgres(programs = postgresPrograms ?? ''): Promise<Postgres> {
  const startedAt = performance.now();
  const user = postgresUser();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } };
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'gatehouse', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...options,
      stdio: 'ignore',
    },
  );
  const port = await lastingPort();
  const url = (database: string) => `postgres://gatehouse@127.0.0.1:${port}/${database}`;
  let server = await start();
  recordPart('PostgreSQL', startedAt);
  let count = 0;

  async function start() {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      `unix_socket_directories=${folder}`,
      'max_connections=200',
      // A server that is ended leaves what it wrote to the system: nothing here survives a power cut.
      'fsync=off',
    ];
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    const started = uncounted(() => spawn(join(programs, 'postgres'), args, { ...options, stdio: 'ignore' }));
    for (let attempt = 0; ; attempt += 1) {
      if (await answers()) return started;
      if (attempt === 2_400 || started.exitCode !== null) throw new Error('PostgreSQL did not start');
      await sleep(50);
    }
  }
  async function answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: url('postgres') });
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      return false;
    }
  }
  async function stop() {
    if (server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGQUIT');
    await ended;
  }
  return {
    async newDatabase() {
      count += 1;
      // Others may ask for one meanwhile.
      const name = `test_${count}`;
      const client = new pg.Client({ connectionString: url('postgres') });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return url(name);
    },
    async crash() {
      await stop();
      server = await start();
    },
    async close() {
      // Its files go too: nothing is worth a checkpoint.
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listen } from '../../web/listen.ts';
import { home } from './openbao-server.ts';

const run = promisify(execFile);
const version = '26.7.3';
/** Of `org.keycloak:keycloak-quarkus-dist:26.7.3:tar.gz`. */
const sha256 = '77657f30b7e90d70f727712ce1c967f430fd6a5e9f458d32d8c6df0635345f47';
/** How long a server may take to answer: a quarter of a minute on two free cores. */
export const startTimeoutMs = 150_000;
export const stopTimeoutMs = 10_000;

/** A running Keycloak: in memory, plain HTTP on loopback, with its `master` realm alone. */
export interface Keycloak {
  /** `http://127.0.0.1:<port>`: what an open-source identity server has as its `authority`. */
  address: string;
  pid: number;
  /** Sends a request to the admin REST API, below `/admin/realms`. Rejects unless it is answered 2xx. */
  admin(method: string, path: string, body?: object): Promise<unknown>;
  /** Stops the server and resolves once it has ended. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Makes sure that the pinned Keycloak lies in `.gatehouse/keycloak`, built for a database in memory and for
 * clients with two secrets, and resolves with its folder. Fetches about 175 MB on first use, from where this machine's Maven is set up to. Several processes may do
 * so at once.
 */
export async function fetchKeycloak(): Promise<string> {
  const folder = join(home, 'keycloak');
  const there = join(folder, `${version}-rotation`);
  await run('java', ['-version']);
  if (await exists(there)) return there;
  await mkdir(folder, { recursive: true });
  const building = await mkdtemp(join(folder, 'building-'));
  try {
    // A repository of its own, so that nothing is left in the user's; the settings are the machine's.
    await run('mvn', [
      ...['-B', '-q', `-Dmaven.repo.local=${join(building, 'repository')}`],
      'org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy',
      `-Dartifact=org.keycloak:keycloak-quarkus-dist:${version}:tar.gz`,
      `-DoutputDirectory=${building}`,
    ]);
    const archive = join(building, `keycloak-quarkus-dist-${version}.tar.gz`);
    const hash = createHash('sha256');
    await pipeline(createReadStream(archive), hash);
    if (hash.digest('hex') !== sha256) throw new Error('the distribution is not the one that is pinned');
    await run('tar', ['-xzf', archive, '-C', building]);
    const built = join(building, `keycloak-${version}`);
    await run(
      join(built, 'bin', 'kc.sh'),
      ['build', '--db=dev-mem', '--cache=local', '--features=client-secret-rotation'],
      {
        env: environment(),
      },
    );
    // The rename is atomic; whoever comes second finds the folder there and leaves it.
    await rename(built, there).catch(async (error: unknown) => {
      if (!(await exists(there))) throw error;
    });
    return there;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

export async function startKeycloak(): Promise<Keycloak> {
  const folder = await fetchKeycloak();
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const password = randomBytes(16).toString('hex');
  const server = spawn(
    join(folder, 'bin', 'kc.sh'),
    [
      ...['start', '--optimized', '--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${port}`],
      ...[`--hostname=${address}`, '--log-level=warn'],
    ],
    {
      env: {
        ...environment(),
        KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
        KC_BOOTSTRAP_ADMIN_PASSWORD: password,
        JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group: the script and the Java that it starts end together.
      detached: true,
    },
  );
  let said = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
    });
  }
  const ended = once(server, 'exit');
  const watcher = stopWithUs(server);
  const close = () => stop(server, watcher, ended);
  try {
    await answering(address, ended);
  } catch (cause) {
    await close();
    throw new Error(`Keycloak did not start: ${said}`, { cause });
  }

  async function admin(method: string, path: string, body?: object): Promise<unknown> {
    // Asked for anew each time: an administrator's token lasts a minute.
    const form = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password };
    const login = await fetch(`${address}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    const { access_token: token } = (await login.json()) as { access_token: string };
    const response = await fetch(`${address}/admin/realms${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /admin/realms${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
  return { address, pid: server.pid ?? 0, admin, close };
}

/** Its own environment: KC_* and JAVA_OPTS of the user's shell would change the server. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, JAVA_HOME, HOME } = process.env;
  return { PATH, HOME, ...(JAVA_HOME === undefined ? {} : { JAVA_HOME }) };
}

/** A shell that ends the server when this process is gone, whichever way it went: it sees the end of its input. */
function stopWithUs(server: ChildProcess): ChildProcess {
  const watcher = spawn('/bin/sh', ['-c', `read -r _; kill -- -${server.pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  server.once('exit', () => watcher.kill('SIGKILL'));
  watcher.unref();
  return watcher;
}

async function answering(address: string, ended: Promise<unknown>): Promise<void> {
  const over = AbortSignal.timeout(startTimeoutMs);
  let isGone = false;
  ended.then(() => {
    isGone = true;
  });
  while (!isGone && !over.aborted) {
    const response = await fetch(`${address}/realms/master`, { signal: over }).catch(() => undefined);
    if (response?.ok) return;
    await Promise.race([sleep(200), ended]);
  }
  throw new Error(isGone ? 'the process ended' : `no answer within ${startTimeoutMs / 1000} s`);
}

async function stop(server: ChildProcess, watcher: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const group = -server.pid;
  const patience = setTimeout(() => process.kill(group, 'SIGKILL'), stopTimeoutMs);
  process.kill(group, 'SIGTERM');
  await ended;
  clearTimeout(patience);
  watcher.stdin?.destroy();
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  server.close();
  await once(server, 'close');
  return port;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

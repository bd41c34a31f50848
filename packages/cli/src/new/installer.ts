import { spawn, spawnSync } from 'node:child_process';
import { GatehouseError } from '@gatehouse/core/values';

export const packageManagers = ['npm', 'pnpm', 'yarn'] as const;
export type PackageManager = (typeof packageManagers)[number];

/** How a package manager is told to do what a repository needs. */
interface PackageManagerCommands {
  /** Runs the `gatehouse` of the repository. */
  gatehouse: string;
  start: string;
  test: string;
  /** Installs exactly what the lock file says. */
  ci: string;
}

/** @param version undefined where it is not known */
export function commandsOf(name: PackageManager, version: string | undefined): PackageManagerCommands {
  const locked = version?.startsWith('1.') ? '--frozen-lockfile' : '--immutable';
  const [gatehouse, ci] = {
    npm: ['npx gatehouse', 'npm ci'] as const,
    pnpm: ['pnpm exec gatehouse', 'corepack enable && pnpm install --frozen-lockfile'] as const,
    yarn: ['yarn gatehouse', `corepack enable && yarn install ${locked}`] as const,
  }[name];
  return { gatehouse, start: `${name} start`, test: `${name} test`, ci };
}

interface FoundPackageManager {
  name: PackageManager;
  /** The name of what runs this command, where it is no package manager that is supported here. */
  unknown?: string;
}

/** The package manager that runs this command: `npm create`, `pnpm create` and `yarn create` say who they are. */
export function findPackageManager(env: NodeJS.ProcessEnv): FoundPackageManager {
  const [agent = ''] = (env['npm_config_user_agent'] ?? '').split('/');
  const name = packageManagers.find((manager) => manager === agent);
  if (name !== undefined) return { name };
  return { name: 'npm', ...(agent && { unknown: agent }) };
}

/** Variables that keep package managers from asking, or from refusing a folder without a lock file in a pipeline. */
const unattended = { COREPACK_ENABLE_DOWNLOAD_PROMPT: '0', YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' };

/** A folder, and the variables of this process: a proxy that they name is the package manager's to use. */
interface WorkingFolder {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** @returns undefined if there is no such package manager on PATH, or it does not start */
export function versionOf(name: PackageManager, { cwd, env }: WorkingFolder): string | undefined {
  const { status, stdout } = spawnSync(name, ['--version'], {
    ...optionsIn({ cwd, env }),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [version] = /^\d+\.\d+\.\d+\S*/.exec(status === 0 ? (stdout ?? '').trim() : '') ?? [];
  return version;
}

/** @throws GatehouseError `package_manager_missing` */
export function requireVersion(name: PackageManager, place: WorkingFolder): string {
  const version = versionOf(name, place);
  if (version !== undefined) return version;
  throw new GatehouseError('package_manager_missing', { values: { name } });
}

/** What came of an installation. */
export interface Installation {
  outcome: 'installed' | 'failed' | 'no network' | 'refused' | 'not found';
  /** What the registry answered, or the package that it does not have. Else empty. */
  reason: string;
}

/** Installs what package.json names; what the package manager says goes to standard error. */
export async function install(name: PackageManager, place: WorkingFolder): Promise<Installation> {
  // Packages in npm's cache need no network.
  const quick = name === 'npm' ? ['--prefer-offline', '--no-audit', '--no-fund'] : [];
  const child = spawn(name, ['install', ...quick], {
    ...optionsIn(place),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text);
      output = `${output}${text}`.slice(-mostOutput);
    });
  }
  const isDone = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0));
  });
  return isDone ? { outcome: 'installed', reason: '' } : whyNot(output);
}

/** How many of the last characters of a package manager's output are kept: errors stand at its end. */
const mostOutput = 100_000;

/** What npm, pnpm and yarn write where a registry cannot be asked, or says no. */
function whyNot(output: string): Installation {
  const [, status] =
    /\b(?:npm (?:error|ERR!) code E|ERR_PNPM_FETCH_|Response Code: )(40[134])\b/.exec(output) ?? [];
  const [, address = ''] = /\b404\b[^\n]*?(https?:\/\/[^\s:]+(?::\d+)?[^\s:]*)/.exec(output) ?? [];
  if (status === '404') return { outcome: 'not found', reason: unescapedName(address) };
  if (status !== undefined) return { outcome: 'refused', reason: `HTTP ${status}` };
  const isOffline = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/.test(
    output,
  );
  return { outcome: isOffline ? 'no network' : 'failed', reason: '' };
}

/** The package that an address of a registry is about. */
function unescapedName(address: string): string {
  return URL.parse(address)?.pathname.split('/').pop()?.replace('%2f', '/') || 'a package';
}

function optionsIn({ cwd, env }: WorkingFolder) {
  // Package managers are scripts on Windows. Nothing of the user's is among the arguments.
  return { cwd, env: { ...env, ...unattended }, shell: process.platform === 'win32' };
}

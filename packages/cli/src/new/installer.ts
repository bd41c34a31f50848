import { spawnSync } from 'node:child_process';
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
  /** One that runs this command, but that is none of ours. */
  unknown?: string;
}

/** The package manager that runs this command: `npm create`, `pnpm create` and `yarn create` say who they are. */
export function findPackageManager(env: NodeJS.ProcessEnv): FoundPackageManager {
  const [agent = ''] = (env['npm_config_user_agent'] ?? '').split('/');
  const name = packageManagers.find((one) => one === agent);
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
  const { status, stdout } = run(name, ['--version'], { cwd, env }, 'pipe');
  const [version] = /^\d+\.\d+\.\d+\S*/.exec(status === 0 ? (stdout ?? '').trim() : '') ?? [];
  return version;
}

/** @throws GatehouseError `package_manager_missing` */
export function requireVersion(name: PackageManager, place: WorkingFolder): string {
  const version = versionOf(name, place);
  if (version !== undefined) return version;
  throw new GatehouseError('package_manager_missing', { values: { name } });
}

/** Installs what package.json names; what the package manager says goes to standard error. */
export function install(name: PackageManager, place: WorkingFolder): { installed: boolean } {
  // Cached packages are taken from the cache.
  const quick = name === 'npm' ? ['--prefer-offline', '--no-audit', '--no-fund'] : [];
  return { installed: run(name, ['install', ...quick], place, 'show').status === 0 };
}

/** A path as a word that can be pasted into a shell. */
export function shellWord(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function run(name: PackageManager, args: string[], { cwd, env }: WorkingFolder, output: 'pipe' | 'show') {
  return spawnSync(name, args, {
    cwd,
    env: { ...env, ...unattended },
    encoding: 'utf8',
    stdio: output === 'pipe' ? ['ignore', 'pipe', 'ignore'] : ['ignore', 2, 2],
    // Package managers are scripts there. Nothing of the user's is among the arguments.
    shell: process.platform === 'win32',
  });
}

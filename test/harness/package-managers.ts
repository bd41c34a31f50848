import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from '@jest/globals';
import { home } from './openbao-server.ts';

const run = promisify(execFile);

/** Those that npm itself does not bring along, from its registry. */
const pinned = { pnpm: '12.21.0', yarn: '1.22.22', '@yarnpkg/cli-dist': '4.18.1' };

/** Fetches them once. Undefined, with a word why, where that cannot be. */
const folder = await fetchPackageManagers().catch((error: Error) => {
  console.warn(`Tests that install packages are skipped: ${error.message.split('\n')[0]}`);
  return undefined;
});

async function fetchPackageManagers(): Promise<string> {
  const name = Object.values(pinned).join('-');
  const target = join(home, `package-managers-${name}`);
  const isThere = await access(target).then(
    () => true,
    () => false,
  );
  if (isThere) return target;
  await mkdir(home, { recursive: true });
  const building = await mkdtemp(join(home, 'building-'));
  try {
    const packages = Object.entries(pinned).map(([name, version]) => `${name}@${version}`);
    await run('npm', ['install', '--prefix', building, '--no-save', '--no-audit', '--no-fund', ...packages]);
    // Whoever comes second finds it there.
    await rename(building, target).catch(() => {});
    return target;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

export interface PackageManager {
  name: string;
  /** Installs what the package.json of a folder names. Rejects with the package manager's output. */
  install(folder: string): Promise<void>;
}

const inFolder = (path: string) => join(folder ?? '', 'node_modules', path);

/** Runs a program with the Node of the tests, which comes first for what it starts, too. */
async function inPlace(
  cwd: string,
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  await run(command, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', ...env, PATH },
    maxBuffer: 2 ** 26,
  });
}

/** The package managers, as teams have them set up. */
const packageManagers: PackageManager[] = [
  {
    name: 'npm',
    install: (cwd) => inPlace(cwd, 'npm', ['install', '--omit=dev', '--no-audit', '--no-fund']),
  },
  {
    name: 'pnpm',
    async install(cwd) {
      // pnpm fails until somebody has decided on every install script; this one, of gRPC, is not needed.
      await writeFile(join(cwd, 'pnpm-workspace.yaml'), 'allowBuilds: { protobufjs: false }\n');
      await inPlace(cwd, inFolder('.bin/pnpm'), ['install', '--no-frozen-lockfile']);
    },
  },
  {
    name: 'yarn 1',
    install: (cwd) =>
      inPlace(cwd, process.execPath, [
        ...[inFolder('yarn/bin/yarn.js'), '--non-interactive'],
        // A packed file of the same version is taken from a cache even if it is another one.
        ...['--cache-folder', join(cwd, '.yarn-cache')],
      ]),
  },
  {
    name: 'yarn 4',
    async install(cwd) {
      await writeFile(join(cwd, '.yarnrc.yml'), 'nodeLinker: node-modules\nenableImmutableInstalls: false\n');
      await inPlace(cwd, process.execPath, [inFolder('@yarnpkg/cli-dist/bin/yarn.js'), 'install'], {
        YARN_ENABLE_TELEMETRY: 'false',
        // Unlike the others, it does not read npm's settings.
        YARN_NPM_REGISTRY_SERVER: await registry(),
      });
    },
  },
];

async function registry(): Promise<string> {
  return (await run('npm', ['config', 'get', 'registry'])).stdout.trim();
}

/** A `describe` for each package manager. Where the registry cannot be reached, the tests are skipped by their names. */
export function describeWithPackageManagers(tests: (manager: PackageManager) => void): void {
  const block = folder === undefined ? describe.skip : describe;
  for (const manager of packageManagers) block(`with ${manager.name}`, () => tests(manager));
}

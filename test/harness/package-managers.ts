import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe } from '@jest/globals';
import { fetched, home, run, whyNot } from './fetched.ts';
import { isWeekly } from './weekly-run.ts';

/** Those that npm itself does not bring along, from its registry. */
const pinned = { pnpm: '12.21.0', yarn: '1.22.22', '@yarnpkg/cli-dist': '4.18.1' };

/** Fetched once. Undefined, with a word why, where that cannot be. */
const folder = await fetched(
  join(home, `package-managers-${Object.values(pinned).join('-')}`),
  () => JSON.stringify(pinned),
  async (building) => {
    const packages = Object.entries(pinned).map(([name, version]) => `${name}@${version}`);
    const options = ['--no-save', '--no-audit', '--no-fund'];
    await run('npm', ['install', '--prefix', building, ...options, ...packages]);
    return building;
  },
).catch((error: unknown) => {
  console.warn(`Tests that install packages are skipped. ${whyNot(error)}`);
  return undefined;
});

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
    install: (cwd) =>
      inPlace(cwd, 'npm', ['install', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund']),
  },
  {
    name: 'pnpm',
    async install(cwd) {
      // pnpm fails until a person has decided on every install script; this one, of gRPC, is not needed.
      await writeFile(join(cwd, 'pnpm-workspace.yaml'), 'allowBuilds: { protobufjs: false }\n');
      await inPlace(cwd, inFolder('.bin/pnpm'), ['install', '--no-frozen-lockfile']);
    },
  },
  {
    name: 'yarn 1',
    install: (cwd) =>
      inPlace(cwd, process.execPath, [
        inFolder('yarn/bin/yarn.js'),
        '--non-interactive',
        // A packed file of the same version is taken from a cache even if it is another one.
        '--cache-folder',
        join(cwd, '.yarn-cache'),
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

/** A `describe` for npm, and in the weekly run one for each other package manager. Where the registry cannot be reached, the tests are skipped by their names. */
export function describeWithPackageManagers(tests: (manager: PackageManager) => void): void {
  const block = folder === undefined ? describe.skip : describe;
  const ofRun = packageManagers.filter(({ name }) => (name !== 'npm') === isWeekly);
  for (const manager of ofRun) block(`with ${manager.name}`, () => tests(manager));
}

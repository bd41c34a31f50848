import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { packPackages } from '../scripts/package.ts';
import { startPluginHost } from '../test/pulumi-package/plugin-host.ts';
import { makeScratch, root } from './bench-project.ts';
import { atMost, type Figure, figure, inTurn, median, seconds } from './figure.ts';

const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;
const plan = join(root, 'examples', 'plans', 'terraform-plan.json');

/** What the packed file costs: its size, how fast its command answers, and how soon a new repository works. */
export async function packedFile({ rounds = 7 }: { rounds?: number }): Promise<Figure[]> {
  const { directory } = await makeScratch('package');
  try {
    const file = packPackages(join(directory, 'pack')).gatehouse;
    // Also fills npm's cache: what is measured is what a second repository takes.
    const installed = install(join(directory, 'installed'), file);
    const cli = join(installed, 'node_modules', 'gatehouse', 'cli', 'gatehouse.mjs');
    const run = (...args: string[]) =>
      seconds(async () => command(installed, process.execPath, cli, ...args));
    const plugin = join(installed, 'node_modules', 'gatehouse', 'pulumi-package');
    const { version, review, started, schema } = await inTurn(rounds, {
      version: () => run('--version'),
      review: () => run('review', plan),
      started: () => seconds(async () => (await startPluginHost(plugin))[Symbol.asyncDispose]()),
      schema: () => schemaSeconds(plugin),
    });

    const repository = join(directory, 'team');
    const made = await seconds(async () =>
      command(directory, process.execPath, cli, 'new', repository, '--package', file),
    );
    cpSync(plan, join(repository, 'plan.json'));
    const reviewed = await seconds(async () =>
      command(repository, 'npx', 'gatehouse', 'review', 'plan.json'),
    );
    const ports = ['--port', '0', '--identity-port', '0', '--run-task-port', '0'];
    const signedIn = await seconds(async () =>
      command(repository, 'npx', 'gatehouse', 'dev', '--exit', ...ports),
    );
    return [
      atMost('packed', statSync(file).size / 1e6, 2, ' MB'),
      atMost('installed for review, preview and serve', diskMegabytes(installed), 200, ' MB'),
      atMost('gatehouse --version', median(version), 0.2, ' s'),
      atMost('gatehouse review of the sample plan', median(review), 0.7, ' s'),
      figure('the components’ plugin, started by the SDK and stopped', median(started), ' s'),
      atMost('… its schema', median(schema), 1, ' s'),
      figure('gatehouse new, with npm install', made, ' s'),
      atMost('… to the first review', made + reviewed, 30, ' s'),
      atMost('… to dev signed in', made + signedIn, 60, ' s'),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function install(folder: string, file: string): string {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const packages = [file, '@pulumi/pulumi', '@pulumi/vault'];
  execFileSync('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: 'ignore',
  });
  return folder;
}

/** Ends with 2 where a review finds something. */
function command(cwd: string, program: string, ...args: string[]): void {
  const env = { ...process.env, PATH: path };
  const { status, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0 && status !== 2) throw new Error(stderr);
}

/** How long a plugin that has just started takes to tell its schema. */
async function schemaSeconds(folder: string): Promise<number> {
  await using host = await startPluginHost(folder);
  return await seconds(() => host.schema());
}

/** As `du` counts: whole blocks. */
function diskMegabytes(folder: string): number {
  const [kibibytes] = execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t');
  return (Number(kibibytes) * 1024) / 1e6;
}

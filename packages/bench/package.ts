import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { packPackages } from '../../scripts/package.ts';
import { type Bench, figure, inTurn, median, seconds } from './frame.ts';
import { makeScratch, root } from './project.ts';

const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };
const plan = join(root, 'examples', 'plans', 'terraform-plan.json');
const peers = ['@pulumi/pulumi', '@pulumi/vault'];
const anyPorts = ['--port', '0', '--identity-port', '0', '--run-task-port', '0'];

/** What the packed file costs: its size, how fast its command answers, and how soon a new repository works. */
export const packedFile: Bench = async ({ rounds = 7 }, atEnd) => {
  const directory = await makeScratch(atEnd);
  const file = packPackages(join(directory, 'pack')).gatehouse;
  const installed = join(directory, 'installed');
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), '{ "private": true }');
  // Also fills npm's cache: what is measured is what a second repository takes.
  run(installed, 'npm', 'install', '--omit=dev', '--no-audit', '--no-fund', file, ...peers);
  const cli = join(installed, 'node_modules/gatehouse-login/dist/packages/cli/gatehouse.mjs');
  const timed = (...args: string[]) => seconds(() => run(installed, process.execPath, cli, ...args));
  const { version, review } = await inTurn(rounds, {
    version: () => timed('--version'),
    review: () => timed('review', plan),
  });

  const team = join(directory, 'team');
  const created = await timed('new', team, '--package', file);
  cpSync(plan, join(team, 'plan.json'));
  const reviewed = await seconds(() => run(team, 'npx', 'gatehouse', 'review', 'plan.json'));
  const signedIn = await seconds(() => run(team, 'npx', 'gatehouse', 'dev', '--exit', ...anyPorts));
  // As `du` counts: whole blocks.
  const kibibytes = Number.parseInt(execFileSync('du', ['-sk', installed], { encoding: 'utf8' }), 10);
  return [
    figure('packed', statSync(file).size / 1e6, ' MB', 2),
    figure('installed for review, preview and serve', (kibibytes * 1024) / 1e6, ' MB', 200),
    figure('gatehouse --version', median(version), ' s', 0.2),
    figure('gatehouse review of the sample plan', median(review), ' s', 0.7),
    figure('gatehouse new, with npm install', created, ' s'),
    figure('… to the first review', created + reviewed, ' s', 30),
    figure('… to dev signed in', created + signedIn, ' s', 60),
  ];
};

/** Runs a program to its end. A review that finds something ends with 2. */
function run(cwd: string, program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0 && status !== 2) throw new Error(stderr);
}

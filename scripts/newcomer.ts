// `node scripts/newcomer.ts [PACKED FILE]`: how long a newcomer waits, by the commands of the documentation as they stand there, with
// this machine's npm cache. Each figure has its aim, and none fails it. Prints one line each.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOpenBao } from '../test/harness/openbao-server.ts';
import { lastingPort } from '../test/harness/server-process.ts';
import { packPackages } from './package.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-newcomer-'));
/** The environment of this machine, without settings that change how Gatehouse runs and without this clone's own commands. */
const machine = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(GATEHOUSE|VAULT|PULUMI|npm)_|^CI$/i.test(name)),
  ),
  // npx asks before it installs.
  NO_COLOR: '1',
  npm_config_prefer_offline: 'true',
  npm_config_yes: 'true',
  PATH: [dirname(process.execPath), ...(process.env['PATH'] ?? '').split(delimiter)]
    .filter((folder) => !folder.endsWith('node_modules/.bin'))
    .join(delimiter),
};

/** The block of a page that has this text. */
function block(page: string, text: string): string {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```[^\n]*\n(.*?)^```$/gms);
  for (const [, content = ''] of blocks) if (content.includes(text)) return content;
  throw new Error(`${page} has no block with ${JSON.stringify(text)}`);
}

/** Runs commands in a shell until they end, or print a text. Resolves with the seconds. */
function run(commands: string, until: string, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<number> {
  const started = performance.now();
  const child = spawn('bash', ['-ec', commands], { cwd, env: { ...machine, ...env }, detached: true });
  let printed = '';
  return new Promise((resolve, reject) => {
    let isFound = false;
    const onText = (chunk: Buffer) => {
      printed += chunk.toString();
      if (isFound || !printed.includes(until)) return;
      isFound = true;
      resolve((performance.now() - started) / 1000);
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', onText);
    child.on('close', () => {
      if (!isFound) reject(new Error(`it ended before ${JSON.stringify(until)}:\n${printed}`));
    });
  });
}

const say = (what: string, seconds: number, aim: number) =>
  console.log(`${what}: ${seconds.toFixed(1)} s (aim: ${aim} s)`);

/** README: a clone, and its first command, until the second of two is signed in. */
async function cloneToSignedIn(): Promise<void> {
  const ports = await Promise.all([lastingPort(), lastingPort(), lastingPort()]);
  const [service, identity, platform] = ports.map((port) => `http://127.0.0.1:${port}`);
  const addresses = { GATEHOUSE_SERVICE_ADDRESS: service, GATEHOUSE_IDENTITY_ADDRESS: identity };
  const commands = `git clone --quiet '${root}' clone\ncd clone\n${block('README.md', 'npm start\n')}`;
  const env = { ...addresses, GATEHOUSE_PLATFORM_ADDRESS: platform };
  say('clone to signed in', await run(commands, 'as role cluster/web', folder, env), 25);
}

/** docs/first-review.md: an empty folder with the packed file and a plan, until its review. */
async function folderToReview(packed: string): Promise<void> {
  const cwd = join(folder, 'review');
  mkdirSync(cwd);
  copyFileSync(packed, join(cwd, basename(packed)));
  copyFileSync(join(root, 'examples/plans/opentofu-plan.json'), join(cwd, 'plan.json'));
  const [, review = ''] =
    /^npx (gatehouse review plan\.json)$/m.exec(block('docs/first-review.md', 'tfplan')) ?? [];
  say('empty folder to first review', await run(fromFile(review), 'role gains access', cwd), 20);
}

/** docs/first-apply.md: a service that was set up by hand, until it is adopted and a preview shows no change. */
async function serviceToEmptyPreview(packed: string): Promise<void> {
  const cwd = join(folder, 'apply');
  mkdirSync(cwd);
  copyFileSync(packed, join(cwd, basename(packed)));
  const server = await startOpenBao();
  try {
    const env = { VAULT_ADDR: server.address, VAULT_TOKEN: server.token };
    const page = 'docs/first-apply.md';
    writeFileSync(join(cwd, 'by-hand.sh'), block(page, 'put sys/auth/ci'));
    await run('. ./by-hand.sh && echo "set up"', 'set up', cwd, env);
    const [adopt = '', ...enter] = block(page, 'gatehouse new sign-in --adopt').split('\n');
    const own = fromFile(adopt.replace(/^npx /, '')).replace(
      ' new ',
      ` new --package ./${basename(packed)} `,
    );
    const commands = [own, ...enter, block(page, '--import import.prod.json --yes')].join('\n');
    const seconds = await run(commands, 'Next: gatehouse drift', cwd, env);
    say('brownfield service to empty preview', seconds, 60);
  } finally {
    await server.close();
  }
}

/** A command of docs/adopt.md's packed file, in the place of the one that is not published yet. */
function fromFile(command: string): string {
  const [, npx = ''] = /^(npx --package \S+) gatehouse new/m.exec(block('docs/adopt.md', 'npm pack\n')) ?? [];
  return `${npx} ${command}`;
}

try {
  await cloneToSignedIn();
  const [packed] = process.argv.slice(2);
  const gatehouse = packed ?? packPackages(join(folder, 'packed')).gatehouse;
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (basename(gatehouse) !== `${name}-${version}.tgz`) throw new Error(`packed as ${gatehouse}`);
  await folderToReview(gatehouse);
  await serviceToEmptyPreview(gatehouse);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

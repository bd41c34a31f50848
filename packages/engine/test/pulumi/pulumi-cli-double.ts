import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface CliCall {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
}

/**
 * A double of the Pulumi CLI, for there is none where the tests run: a program called `pulumi` that notes how
 * it was called, prints what it was given and ends with the code it was given.
 */
export async function installPulumiCliDouble(answer: {
  /** The same for all, or by command; by its first two words where those have an answer of their own. */
  stdout?: string | Record<string, string>;
  stderr?: string;
  /** The same for all, or by command. */
  exitCode?: number | Record<string, number>;
  /** Defaults to a newer one than the oldest that the engine takes. */
  version?: string;
  /** It goes on until it gets this signal. */
  until?: NodeJS.Signals;
  /** The update plan that it saves, by default one without resources. Undefined: it has none. */
  updatePlan?: string | undefined;
  /** A statement that it begins each command with, which has `call`, `option(name)` and `fs`. */
  first?: string;
}) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pulumi-double-'));
  const notes = join(folder, 'calls.jsonl');
  const { updatePlan } = { updatePlan: '{"resourcePlans":{}}', ...answer };
  const program = `#!${process.execPath}
const fs = require('node:fs');
const call = { argv: process.argv.slice(2), env: process.env, cwd: process.cwd() };
const [command] = call.argv;
const option = (name) => call.argv[call.argv.indexOf(name) + 1];
const byCommand = (given) =>
  given !== null && typeof given === 'object' ? (given[call.argv.slice(0, 2).join(' ')] ?? given[command]) : given;
if (command === 'version') {
  console.log(${JSON.stringify(answer.version ?? 'v3.274.1')});
  process.exit(0);
}
if (call.argv.includes('--help')) {
  const listed = ${updatePlan !== undefined} && call.env.PULUMI_EXPERIMENTAL === 'true';
  if (listed) console.log(command === 'up' ? '      --plan string   [EXPERIMENTAL] Path' : '      --save-plan string   [PREVIEW] Save');
  process.exit(0);
}
${answer.until === undefined ? '' : `const going = setInterval(() => {}, 1000); process.once('${answer.until}', () => clearInterval(going));`}
fs.appendFileSync(${JSON.stringify(notes)}, JSON.stringify(call) + '\\n');
if (call.argv.includes('--save-plan')) fs.writeFileSync(option('--save-plan'), ${JSON.stringify(updatePlan ?? '')});
${answer.first ?? ''}
process.stdout.write(byCommand(${JSON.stringify(answer.stdout ?? '')}) ?? '');
process.stderr.write(${JSON.stringify(answer.stderr ?? '')});
process.exitCode = byCommand(${JSON.stringify(answer.exitCode ?? 0)}) ?? 0;
`;
  await writeFile(join(folder, 'pulumi'), program);
  await chmod(join(folder, 'pulumi'), 0o755);
  const calls = async (): Promise<CliCall[]> => {
    if (!existsSync(notes)) return [];
    const lines = (await readFile(notes, 'utf8')).trim().split('\n');
    return lines.map((line) => JSON.parse(line));
  };
  return {
    /** The environment in which the double is the `pulumi` on PATH. */
    env: { PATH: [folder, process.env['PATH']].join(delimiter) },
    /** Its own folder, for notes. */
    folder,
    /** How it was called, each time, except for its version and help. */
    calls,
    /** How it was called last; undefined while it was not. */
    call: async (): Promise<CliCall | undefined> => (await calls()).at(-1),
  };
}

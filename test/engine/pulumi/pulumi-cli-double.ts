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
  /** The same for all, or by command. */
  stdout?: string | Record<string, string>;
  stderr?: string;
  exitCode?: number;
  /** It goes on until it gets this signal. */
  until?: NodeJS.Signals;
}) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pulumi-double-'));
  const notes = join(folder, 'calls.jsonl');
  const program = `#!${process.execPath}
const { appendFileSync } = require('node:fs');
${answer.until === undefined ? '' : `const going = setInterval(() => {}, 1000); process.once('${answer.until}', () => clearInterval(going));`}
const call = { argv: process.argv.slice(2), env: process.env, cwd: process.cwd() };
appendFileSync(${JSON.stringify(notes)}, JSON.stringify(call) + '\\n');
const stdout = ${JSON.stringify(answer.stdout ?? '')};
process.stdout.write(typeof stdout === 'string' ? stdout : (stdout[call.argv[0]] ?? ''));
process.stderr.write(${JSON.stringify(answer.stderr ?? '')});
process.exitCode = ${answer.exitCode ?? 0};
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
    /** How it was called, each time. */
    calls,
    /** How it was called last; undefined while it was not. */
    call: async (): Promise<CliCall | undefined> => (await calls()).at(-1),
  };
}

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
  stdout?: string;
  stderr?: string;
  exitCode?: number;
  /** It goes on until it gets this signal. */
  until?: NodeJS.Signals;
}) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pulumi-double-'));
  const notes = join(folder, 'call.json');
  const program = `#!${process.execPath}
const { writeFileSync } = require('node:fs');
${answer.until === undefined ? '' : `const going = setInterval(() => {}, 1000); process.once('${answer.until}', () => clearInterval(going));`}
const call = { argv: process.argv.slice(2), env: process.env, cwd: process.cwd() };
writeFileSync(${JSON.stringify(notes)}, JSON.stringify(call));
process.stdout.write(${JSON.stringify(answer.stdout ?? '')});
process.stderr.write(${JSON.stringify(answer.stderr ?? '')});
process.exitCode = ${answer.exitCode ?? 0};
`;
  await writeFile(join(folder, 'pulumi'), program);
  await chmod(join(folder, 'pulumi'), 0o755);
  return {
    /** The environment in which the double is the `pulumi` on PATH. */
    env: { PATH: [folder, process.env['PATH']].join(delimiter) },
    /** How it was called; undefined while it was not. */
    call: async (): Promise<CliCall | undefined> =>
      existsSync(notes) ? JSON.parse(await readFile(notes, 'utf8')) : undefined,
  };
}

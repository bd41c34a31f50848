import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { writePaged } from '../../src/terminal/pager.ts';
import { ExitCode } from '../../src/terminal/terminal.ts';

const long = Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join('');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-pager-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** What is written to standard output, and what a pager gets that keeps it in a file. */
async function written(
  text: string,
  { env = {}, isTTY = true }: { env?: NodeJS.ProcessEnv; isTTY?: boolean },
) {
  const output = new PassThrough();
  const stdout = Object.assign(output, { isTTY, columns: 80, rows: 24 });
  const file = join(folder, 'paged');
  const own = { PATH: process.env['PATH'], PAGER: `cat > ${file}` };
  const terminal = {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    cwd: folder,
    exitCode: ExitCode.no,
  };
  await writePaged({ ...terminal, env: { ...own, ...env } }, text);
  return {
    plain: output.read()?.toString() ?? '',
    paged: await readFile(file, 'utf8').catch(() => undefined),
  };
}

test('a text that is longer than the screen goes through the pager', async () => {
  expect(await written(long, {})).toEqual({ plain: '', paged: long });
});

test.each<[string, string, Parameters<typeof written>[1]]>([
  ['it fits the screen', 'short\n', {}],
  ['it goes to a file or a pipe', long, { isTTY: false }],
  ['it is for CI', long, { env: { CI: 'true' } }],
  ['the terminal is dumb', long, { env: { TERM: 'dumb' } }],
  ['PAGER is empty', long, { env: { PAGER: '' } }],
  ['PAGER is cat', long, { env: { PAGER: 'cat' } }],
  ['the pager is not there', long, { env: { PAGER: 'no-such-pager-here 2>/dev/null' } }],
])('a text is written as it is where %s', async (_, text, how) => {
  expect(await written(text, how)).toEqual({ plain: text, paged: undefined });
});

test('a pager that is quit early, or fails, took the text', async () => {
  expect((await written(long.repeat(5_000), { env: { PAGER: 'head -n 1 >/dev/null' } })).plain).toBe('');
  expect((await written(long, { env: { PAGER: 'exit 3' } })).plain).toBe('');
});

test('a pager sees no token, and nothing that starts another program', async () => {
  const file = join(folder, 'env');
  const secrets = {
    VAULT_TOKEN: 'hvs.x',
    PULUMI_CONFIG_PASSPHRASE: 'p',
    LESSOPEN: '|x %s',
    LC_ALL: 'C.UTF-8',
  };
  await written(long, { env: { ...secrets, PAGER: `env > ${file}` } });
  const names = (await readFile(file, 'utf8')).split('\n').map((line) => line.split('=')[0]);
  expect(names).toContain('LC_ALL');
  for (const name of ['VAULT_TOKEN', 'PULUMI_CONFIG_PASSPHRASE', 'LESSOPEN', 'PAGER'])
    expect(names).not.toContain(name);
});

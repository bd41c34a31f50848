import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe } from '@jest/globals';
import { home } from '../openbao.ts';

const run = promisify(execFile);
const requirements = fileURLToPath(new URL('../../scripts/hvac-requirements.txt', import.meta.url));

/** The folder with hvac and what it needs: fetched from PyPI once, by the pinned hashes. */
async function fetchHvac(): Promise<string> {
  const [, version] = /^hvac==(\S+)/m.exec(await readFile(requirements, 'utf8')) ?? [];
  const folder = join(home, `hvac-${version}`);
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(home, { recursive: true });
  const building = await mkdtemp(join(home, 'building-'));
  try {
    // As for OpenBao: a system's own Python may come without pip.
    await run('python3', ['-m', 'venv', join(building, 'venv')]);
    await run(join(building, 'venv', 'bin', 'python'), [
      ...['-m', 'pip', '--disable-pip-version-check', '--quiet', 'install', '--no-deps', '--require-hashes'],
      ...['--only-binary=:all:', '--target', join(building, 'package'), '--requirement', requirements],
    ]);
    // Whoever comes second finds it there.
    await rename(join(building, 'package'), folder).catch(() => {});
    return folder;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

const folder = await fetchHvac().catch(({ message }: Error) => {
  console.warn(`Tests with hvac are skipped: ${message.split('\n')[0]}`);
  return undefined;
});

/** `describe` where hvac could be fetched; its tests are skipped where it could not. */
export const describeWithHvac = folder === undefined ? describe.skip : describe;

/**
 * Runs lines of Python that know `client`, a hvac client, and `given`; resolves with what they leave in `answer`.
 * A refusal comes as `{refused: …}`, the name of hvac's exception, with its `errors`.
 */
export async function python(
  server: { address: string; token?: string },
  lines: string,
  given = {},
): Promise<any> {
  const body = lines
    .trim()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
  const program = `
import json, sys, hvac
url, token, given = json.load(sys.stdin)
client = hvac.Client(url=url, token=token)
answer = None
try:
${body}
except hvac.exceptions.VaultError as error:
    answer = {'refused': type(error).__name__, 'errors': error.errors}
json.dump(answer, sys.stdout)
`;
  const child = run('python3', ['-c', program], {
    env: { PATH: process.env['PATH'], PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
  });
  child.child.stdin?.end(JSON.stringify([server.address, server.token ?? null, given]));
  return JSON.parse((await child).stdout);
}

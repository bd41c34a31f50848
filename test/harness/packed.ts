import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Packed, packPackages } from '../../scripts/package.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** What is published, packed once for all tests of a run of `npm test`: it takes a minute. */
export async function packedOnce(): Promise<Packed> {
  // scripts/run-tests.mjs gives each run a temporary folder of its own; another one may have what an older tree came to.
  if (!/\/gh-[^/]+$/.test(tmpdir())) return packPackages(temporaryFolder());
  const folder = join(tmpdir(), 'packed');
  const done = join(folder, 'packed.json');
  try {
    mkdirSync(folder);
  } catch {
    await until(() => existsSync(done) || !existsSync(folder), 600_000);
    return JSON.parse(readFileSync(done, 'utf8')) as Packed;
  }
  try {
    const packed = packPackages(join(folder, 'packages'));
    writeFileSync(`${done}-new`, JSON.stringify(packed));
    renameSync(`${done}-new`, done);
    return packed;
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

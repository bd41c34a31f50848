import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { fetched } from './fetched.ts';
import { MachineCache, thisMachine } from './machine-cache.ts';
import { temporaryFolder } from './temporary-folder.ts';

const madeOf = 'go.sum of today';
let folder = '';
let lines: string[] = [];
let makings = 0;
const cacheOf = (machine?: string) =>
  new MachineCache(join(folder, 'cache'), machine, (line) => lines.push(line));

beforeEach(() => {
  folder = temporaryFolder();
  lines = [];
  makings = 0;
});

/** A program and what it needs, in a clone: made there, or copied from what another clone made. */
async function inClone(clone: string, of = madeOf, cache = cacheOf()): Promise<string> {
  const target = join(folder, clone, 'tool');
  return fetched(
    target,
    () => of,
    async (building) => {
      makings++;
      mkdirSync(join(building, 'lib'));
      writeFileSync(join(building, 'lib/run'), '#!/bin/sh\n', { mode: 0o755 });
      symlinkSync('lib/run', join(building, 'run'));
      return building;
    },
    cache,
  );
}

/** The content of the one entry. */
function entry(): string {
  const [name = ''] = readdirSync(join(folder, 'cache'));
  return join(folder, 'cache', name);
}

test('what one clone made, another one copies, with its links and what may be executed', async () => {
  await inClone('first');
  const second = await inClone('second');
  expect([makings, lines]).toEqual([1, []]);
  expect(readFileSync(join(second, 'run'), 'utf8')).toBe('#!/bin/sh\n');
  expect(statSync(join(second, 'lib/run')).mode & 0o111).not.toBe(0);
});

test('where it is there already, what it is made of is not asked', async () => {
  const target = await inClone('first');
  const unasked = () => Promise.reject(new Error('it was asked'));
  expect(await fetched(target, unasked, unasked, cacheOf())).toBe(target);
  expect(makings).toBe(1);
});

test('what is made of something else is another entry', async () => {
  await inClone('first');
  await inClone('second', 'go.sum of tomorrow');
  expect([makings, lines]).toEqual([2, []]);
});

test.each<[string, (content: string) => void]>([
  ['a truncated file', (content) => truncateSync(join(content, 'lib/run'), 3)],
  ['a file of other bytes', (content) => writeFileSync(join(content, 'lib/run'), '#!/bin/no\n')],
  ['a file that may not be executed', (content) => chmodSync(join(content, 'lib/run'), 0o644)],
  ['a missing file', (content) => rmSync(join(content, 'run'))],
  ['one file more', (content) => cpSync(join(content, 'lib/run'), join(content, 'lib/more'))],
  ['no content', (content) => rmSync(content, { recursive: true })],
  ['a label without a checksum', (content) => writeFileSync(join(content, '../label.json'), '{')],
])('an entry with %s is made anew, with one line, and is whole then', async (_, damage) => {
  await inClone('first');
  damage(join(entry(), 'content'));
  const second = await inClone('second');
  expect([makings, lines]).toEqual([2, [expect.stringContaining('it is made anew')]]);
  expect(readFileSync(join(second, 'run'), 'utf8')).toBe('#!/bin/sh\n');
  await inClone('third');
  expect([makings, lines.length]).toEqual([2, 1]);
});

test('an entry of another machine is made anew, with one line that names both', async () => {
  await inClone('first', madeOf, cacheOf('linux-arm64-musl'));
  await inClone('second');
  const words = `made for linux-arm64-musl, and this is ${thisMachine}; it is made anew.`;
  expect([makings, lines]).toEqual([2, [expect.stringContaining(words)]]);
});

test('where nothing can be kept, what was made is there, and one line says so', async () => {
  writeFileSync(join(folder, 'cache'), 'a file');
  const first = await inClone('first');
  expect(readFileSync(join(first, 'run'), 'utf8')).toBe('#!/bin/sh\n');
  expect([makings, lines]).toEqual([1, [expect.stringContaining('not kept for other clones')]]);
});

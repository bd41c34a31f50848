import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const { engines, scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

test('what the package needs stands where people begin', () => {
  const [, needed = ''] = /^>=(\d+\.\d+)\.0$/.exec(engines.node) ?? [];
  const pages = ['README.md', 'docs/adopt.md', 'docs/first-review.md', 'docs/first-apply.md'];
  expect(pages.filter((page) => !readFileSync(page, 'utf8').includes(`Node.js ${needed}`))).toEqual([]);
  expect(readFileSync('packages/cli/gatehouse.mjs', 'utf8')).toContain(`${needed} or newer`);
});

test('what packs the clone installs what it compiles with, whatever was installed before', () => {
  // Another shell: one keeps the Node.js that it found first.
  expect(scripts.prepack).toBe('node scripts/set-up.mjs && npm run --silent build:package');
});

test('a first start builds the review page with what it installed, and nothing else', () => {
  expect(scripts.prestart).toBe('node scripts/set-up.mjs --omit=dev && npm run --silent build:page');
  expect(scripts['prebuild:page']).toBe('node scripts/set-up.mjs --omit=dev');
});

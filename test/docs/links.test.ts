import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../harness/environment-under-test.ts';
import { markdownFiles, projectFiles, read } from './markdown.ts';

const withoutBlocks = (text: string) => text.replace(/^\s*```[\s\S]*?^\s*```/gm, '');

/** The anchors of a file's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  return [...withoutBlocks(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function linksOf(file: string): string[] {
  return [...withoutBlocks(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

function isBroken(file: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return false;
  const [path = '', anchor] = target.split('#');
  const linked = path === '' ? file : normalize(join(dirname(file), path));
  if (!existsSync(join(root, linked))) return true;
  return anchor !== undefined && !anchorsOf(linked).includes(anchor);
}

test.each(markdownFiles)('every link of %s leads somewhere', (file) => {
  expect(linksOf(file).filter((target) => isBroken(file, target))).toEqual([]);
});

test('every page of docs/ is reached from docs/index.md or the README', () => {
  const reached = ['docs/index.md', 'README.md'].flatMap((from) =>
    linksOf(from).map((target) => normalize(join(dirname(from), target.split('#')[0] ?? ''))),
  );
  const pages = projectFiles('docs/*.md').filter((page) => page !== 'docs/index.md');
  // Who follows a link to a folder sees its pages.
  const isReached = (page: string) => reached.includes(page) || reached.includes(`${dirname(page)}/`);
  expect(pages.filter((page) => !isReached(page))).toEqual([]);
});

/** What stands in backticks outside of blocks. */
const quoted = (file: string) =>
  [...withoutBlocks(read(file)).matchAll(/`([^`\s*]+)`/g)].map(([, text = '']) => text);

const tree = projectFiles();
const rooms = new Set(tree.filter((file) => file.includes('/')).map((file) => file.split('/')[0]));
const names = new Set(tree.map((file) => basename(file)));

/** Whether a text names a file or folder of the tree. Pages about the code name nothing else that has a slash. */
function namesFile(page: string, text: string): boolean {
  // Made by the scripts, where it is needed.
  if (text.startsWith('@') || text.startsWith('build/') || text === 'packages/pulumi-package/schema.json')
    return false;
  // Made where the reader works.
  if (text.startsWith('~/') || text.startsWith('.gatehouse/')) return false;
  const aboutCode = ['docs/inside/architecture.md', 'docs/inside/maintaining.md', 'CONTRIBUTING.md'].includes(
    page,
  );
  return (
    /[\w>]\.(ts|mjs)$/.test(text) || (text.includes('/') && (aboutCode || rooms.has(text.split('/')[0])))
  );
}

/**
 * `packages/core/src/graph/kinds/<kind>.ts` is there when its folder is; a file without a folder, wherever it is. A README
 * may name what stands below it.
 */
function exists(page: string, text: string): boolean {
  const path = text.replace(/\/[^/]*<.*$/, '');
  return (
    path.includes('<') ||
    [root, join(root, dirname(page))].some((from) => existsSync(join(from, path))) ||
    names.has(path)
  );
}

test.each(markdownFiles)('every file of the tree that %s names exists', (file) => {
  expect(quoted(file).filter((text) => namesFile(file, text) && !exists(file, text))).toEqual([]);
});

test('every document that the program speaks of is there', () => {
  const sources = projectFiles('*.ts', '*.mjs', '*.yaml').filter(
    (file) => !/(^|\/)(test|bench)\//.test(file),
  );
  const named = new Set(
    sources.flatMap((file) => read(file).match(/\b(docs|examples)\/[\w/-]+(?:\.\w+)+/g) ?? []),
  );
  expect(named.size).toBeGreaterThan(0);
  expect([...named].filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

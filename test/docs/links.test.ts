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

/** A comment, or the title of a test. */
const isProse = /^\s*(?:\/\/|\/?\*|describe|test)|\s\/\/ /;
/** Tests write files of names that are nobody's: only their comments and titles name documents of this project. */
const isTest = /(^|\/)(test|bench)\//;
const inDocs = /(?<!\w\/|\w)(?:docs|examples)\/[\w/-]+(?:\.\w+)+(?:#[\w-]+)?/g;
const withAnchor = /(?<![\w/.-])(?:[\w-]+\/)*[\w-]+\.md#[\w-]+/g;
const anyPage = /(?<![\w/.<>-])(?:[\w-]+\/)*[\w-]+\.md\b/g;

/** The documents of this project that a source names; those of other projects stand in folders that are not here. */
function documentsIn(file: string): string[] {
  const lines = read(file).split('\n');
  const prose = lines.filter((line) => isProse.test(line)).join('\n');
  const text = isTest.test(file) ? prose : lines.join('\n');
  const pages = prose.match(anyPage) ?? [];
  return [
    ...new Set([
      ...(text.match(inDocs) ?? []),
      ...(text.match(withAnchor) ?? []),
      ...pages.filter((page) => !page.includes('/') || rooms.has(page.split('/')[0])),
    ]),
  ];
}

const sources = projectFiles('*.ts', '*.mjs', '*.py', '*.go', '*.yaml', '*.yml');

test('every document that a source names is there, with its anchor', () => {
  const named = sources.flatMap((file) => documentsIn(file).map((target) => ({ file, target })));
  expect(named.length).toBeGreaterThan(0);
  const broken = named.filter(({ file, target }) =>
    ['README.md', 'docs/index.md', file].every((from) => isBroken(from, target)),
  );
  expect(broken.map(({ file, target }) => `${file}: ${target}`)).toEqual([]);
});

/** What follows the name of the specification: `B-2`, `area C`, `"Limits"`. */
const sections =
  /docs\/inside\/specification\.md((?:(?:,| and|, and)?(?:\s|\/\/|\*)+(?:area )?(?:[ABC](?:-?\d)?\b|"[^"]+"))+)/g;

test('every section of the specification that a source names is there', () => {
  const specification = read('docs/inside/specification.md');
  const isThere = (section: string) =>
    section.startsWith('"')
      ? specification.includes(section.slice(1, -1))
      : new RegExp(`^#+ (?:Area )?${section}\\. `, 'm').test(specification);
  const named = sources.flatMap((file) =>
    [...read(file).matchAll(sections)].flatMap(([, rest = '']) =>
      (rest.replace(/\n\s*(?:\/\/|\*)?/g, '').match(/\b[ABC](?:-?\d)?\b|"[^"]+"/g) ?? []).map((section) => ({
        file,
        section: section.replace(/\s+/g, ' '),
      })),
    ),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ section }) => !isThere(section))).toEqual([]);
});

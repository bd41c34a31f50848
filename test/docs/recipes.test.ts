import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { root } from '../harness/environment-under-test.ts';
import { read } from './markdown.ts';

const page = 'docs/inside/maintaining.md';
const sharedAlone = 'packages/core/test/graph/kinds/subject-form.test.ts';
/** Stacks that use a kind, what happened to it, the recipe that copies it, and tests of what is special to it. */
const uses =
  /^(Pulumi\.\w+\.yaml|CHANGELOG\.md|docs\/inside\/maintaining\.md|examples\/.*|(packages\/[\w-]+\/)?test\/.*)$/;

/** The files of the recipe for a provider kind, as they are called for one. */
function filesOfRecipe(kind: string): string[] {
  const recipe = read(page).split('### Add a provider kind')[1]?.split('A kind that creates')[0] ?? '';
  const paths = [...recipe.matchAll(/`([\w.<>-]+\/[\w./<>-]+)`/g)].map(([, path = '']) => path);
  const nameIn = (path: string) => (path.endsWith('.yaml') ? kind : kind.replaceAll('_', '-'));
  return [...new Set(paths)].map((path) => path.replace('<kind>', nameIn(path))).sort();
}

/** The project's files that name a kind, in any spelling. */
function filesNaming(kind: string): string[] {
  const name = kind.replaceAll('_', '[-_]?');
  const search = ['grep', '--untracked', '-lIiE', name];
  return execFileSync('git', search, { cwd: root, encoding: 'utf8' }).trim().split('\n');
}

test.each([
  ['buildkite', true],
  ['access_management_suite', false],
])('the recipe for a provider kind lists every file that names %s', (kind, isShared) => {
  const recipe = filesOfRecipe(kind).filter((path) => isShared || path !== sharedAlone);
  const needed = filesNaming(kind).filter((path) => !uses.test(path));
  expect(recipe.filter((path) => !uses.test(path))).toEqual(
    // Only products are named there.
    [...new Set([...needed, 'docs/_index.md'])].sort(),
  );
  expect(filesNaming(kind)).toEqual(expect.arrayContaining(recipe.filter((path) => path === sharedAlone)));
});

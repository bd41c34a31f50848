import { expect, test } from '@jest/globals';
import { runCommand } from '../../packages/cli/test/running-command.ts';
import { root } from '../harness/environment-under-test.ts';
import { blocksOf } from './markdown.ts';

test('the first review prints what docs/first-review.md shows, and the README in short', async () => {
  const { code, out } = await runCommand(['review', 'examples/plans/opentofu-plan.json'], {}, root);
  const shown = (file: string, wanted: string) =>
    blocksOf(file).find(({ info }) => info === wanted)?.text ?? '';
  expect({ code, out }).toEqual({ code: 0, out: shown('docs/first-review.md', 'text review') });
  const inShort = shown('README.md', 'text review plan');
  expect(out.slice(0, inShort.length)).toBe(inShort);
});

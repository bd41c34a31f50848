import { expect, test } from '@jest/globals';
import { runCommand } from '../../packages/cli/test/running-command.ts';
import { root } from '../harness/environment-under-test.ts';
import { blocksOf } from './markdown.ts';

test('the first review prints what docs/first-review.md shows', async () => {
  const { code, out } = await runCommand(['review', 'examples/plans/opentofu-plan.json'], {}, root);
  const shown = blocksOf('docs/first-review.md').find(({ info }) => info === 'text review')?.text;
  expect({ code, out }).toEqual({ code: 0, out: shown });
});

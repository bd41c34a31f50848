import { describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { kinds } from '../../packages/core/src/graph/kinds/kinds.ts';
import { declaredBlock } from './declared-block.ts';
import { environmentOf } from './environment-block.ts';
import { blocksOf, namedBlocks, read } from './markdown.ts';

describe('an environment in the documentation', () => {
  test.each(namedBlocks('yaml environment'))('%s is a valid one', (_, { text }) => {
    expect(environmentOf(text).providers.length).toBeGreaterThan(0);
  });
});

describe('the page of a provider kind', () => {
  test.each(Object.values(kinds))('$kind is titled by the product', ({ kind, products }) => {
    expect(read(`docs/providers/${kind}.md`).split('\n')[0]).toBe(`# ${products[0]} (\`${kind}\`)`);
  });

  test.each(Object.keys(kinds))('%s shows what its example comes to', (kind) => {
    const blocks = blocksOf(`docs/providers/${kind}.md`);
    const example = blocks.find(({ info }) => info === 'yaml environment');
    const shown = blocks.find(({ info }) => info === 'yaml declared');
    const environment = environmentOf(example?.text ?? '');
    expect(environment.providers.map((provider) => provider.kind)).toEqual([kind]);
    expect(stringify(parse(shown?.text ?? ''))).toBe(stringify(declaredBlock(environment)));
  });
});

import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { providerKinds } from '../../packages/core/src/graph/kinds/kinds.ts';
import { declaredBlock } from './declared-block.ts';
import { environmentOf } from './environment-block.ts';
import { exampleEnvironment, expectedOfKind } from './kind-section.ts';
import { namedBlocks } from './markdown.ts';

describe('an environment in the documentation', () => {
  test.each(namedBlocks('yaml environment'))('%s is a valid one', (_, { text }) => {
    expect(environmentOf(text).providers.length).toBeGreaterThan(0);
  });
});

test.each(providerKinds)('the example of %s in docs/providers.md declares what is expected of it', (kind) => {
  const environment = exampleEnvironment(kind);
  expect(environment.providers.map((provider) => provider.kind)).toEqual([kind]);
  expect(stringify(declaredBlock(environment))).toBe(stringify(expectedOfKind(kind).declared));
});

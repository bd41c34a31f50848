import { expect, test } from '@jest/globals';
import { packageSchema } from '../../scripts/write-package-schema.ts';
import { read } from '../docs/markdown.ts';

test('pulumi-package/schema.json is as the components say (node scripts/write-package-schema.ts)', () => {
  expect(read('pulumi-package/schema.json')).toBe(packageSchema());
}, 120_000);

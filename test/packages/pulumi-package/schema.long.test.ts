import { expect, test } from '@jest/globals';
import { schema } from '../../../packages/pulumi-package/schema.ts';
import { packageSchema } from '../../../scripts/write-package-schema.ts';
import { read } from '../../docs/markdown.ts';

test('packages/pulumi-package/schema.json is as the components say', () => {
  expect(read('packages/pulumi-package/schema.json')).toBe(packageSchema());
  expect(schema).toEqual(JSON.parse(packageSchema()));
}, 120_000);

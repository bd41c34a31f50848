import { expect, test } from '@jest/globals';
import { packageSchema } from '../../../scripts/write-package-schema.ts';
import { read } from '../../../test/docs/markdown.ts';
import { schema } from '../schema.ts';

test('packages/pulumi-package/schema.json is as the components say', () => {
  expect(read('packages/pulumi-package/schema.json')).toBe(packageSchema());
  expect(schema).toEqual(JSON.parse(packageSchema()));
}, 120_000);

import { expect, test } from '@jest/globals';
import { schema } from '../../pulumi-package/schema.ts';
import { packageSchema } from '../../scripts/write-package-schema.ts';
import { read } from '../docs/markdown.ts';

test('pulumi-package/schema.json is as the components say', () => {
  expect(read('pulumi-package/schema.json')).toBe(packageSchema());
  expect(schema).toEqual(JSON.parse(packageSchema()));
}, 120_000);

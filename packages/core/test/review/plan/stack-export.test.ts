import { expect, test } from '@jest/globals';
import { readStackExport } from '../../../src/review/plan/stack-export.ts';

test('an exported stack with lists 3,000 levels deep is refused', () => {
  const deep = '['.repeat(3000) + ']'.repeat(3000);
  const resource = `{"urn":"urn:pulumi:s::p::a:b/c:D::x","type":"a:b/c:D","inputs":{"deep":${deep}}}`;
  expect(() => readStackExport(`{"version":3,"deployment":{"resources":[${resource}]}}`)).toThrow(
    expect.objectContaining({ code: 'nested_too_deep' }),
  );
});

import { expect, test } from '@jest/globals';
import { faults, planted } from './faults.ts';

test.each(faults)('$name: the text stands once in $file', async (fault) => {
  expect(await planted(fault)).toContain(fault.to);
});

import { expect, test } from '@jest/globals';
import { faults, planted } from './faults.ts';

const reserved = ['const', 'false', 'let', 'return', 'undefined'];

test.each(faults)('$name: the text stands once in $file', async (fault) => {
  expect(await planted(fault)).toContain(fault.to);
});

// A copy that does not run finds no fault.
test.each(faults)('$name: what is planted names nothing that $file does not have', async (fault) => {
  const source = await planted({ ...fault, to: fault.from });
  const names = fault.to.replaceAll(/'[^']*'/g, '').match(/(?<![.\w])[a-z]\w*/gi) ?? [];
  const known = new Set([...reserved, ...(source.match(/\w+/g) ?? [])]);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

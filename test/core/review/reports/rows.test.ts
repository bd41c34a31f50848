import { expect, test } from '@jest/globals';
import { decideAccess } from '../../../../core/access/questions/change.ts';
import { reportRows } from '../../../../core/review/reports/rows.ts';
import { jwtMethod, jwtRole } from '../../rules/graph-fixture.ts';
import { change, now } from '../graphs.ts';

const reading = (more: string) => ({
  ...{ methods: [jwtMethod()], roles: [jwtRole({ policies: ['p'] })] },
  policies: [{ name: 'p', text: `path "a" { capabilities = ["read"] ${more} }` }],
});
const cells = (before: string, after: string) => {
  const { changes: access } = decideAccess(change(reading(before), reading(after)), now);
  return reportRows({ access, findings: [], tool: 'terraform' }).rows.flatMap((row) => row.cells);
};
const ending = 'expiration = "2999-12-31T23:59:59Z"';

test('what a rule that comes to an end takes away is told with the instant', () => {
  expect(cells('', ending)).toEqual([{ before: 'read a', after: '– from 2999-12-31T23:59:59Z on' }]);
  expect(cells(ending, '')).toEqual([{ before: '–', after: 'read a from 2999-12-31T23:59:59Z on' }]);
});

test('what is over already is lost at once', () => {
  expect(cells('', 'expiration = "2001-12-31T23:59:59Z"')).toEqual([{ before: 'read a', after: '–' }]);
});

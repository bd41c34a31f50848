import { expect, test } from '@jest/globals';
import { decideAccess } from '../../../../core/access/questions/change.ts';
import { effectLines } from '../../../../core/review/reports/words.ts';
import { jwtMethod, jwtRole } from '../../rules/graph-fixture.ts';
import { change, now } from '../graphs.ts';

const reading = (more: string) => ({
  ...{ methods: [jwtMethod()], roles: [jwtRole({ policies: ['p'] })] },
  policies: [{ name: 'p', text: `path "a" { capabilities = ["read"] ${more} }` }],
});
const said = (before: string, after: string) =>
  decideAccess(change(reading(before), reading(after)), now).changes.flatMap(effectLines);
const ending = 'expiration = "2999-12-31T23:59:59Z"';

test('what a rule that comes to an end takes away is told with the instant', () => {
  expect(said('', ending)).toEqual([{ about: 'loses path', text: 'a: read, from 2999-12-31T23:59:59Z on' }]);
  expect(said(ending, '')).toEqual([{ about: 'gains path', text: 'a: read, from 2999-12-31T23:59:59Z on' }]);
});

test('what is over already is lost at once', () => {
  expect(said('', 'expiration = "2001-12-31T23:59:59Z"')).toEqual([{ about: 'loses path', text: 'a: read' }]);
});

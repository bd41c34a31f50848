import { expect, test } from '@jest/globals';
import { orderOf } from '../../../core/access/other-bounds.ts';

const [more, less, both] = [
  { gains: 'some', losses: 'none' },
  { gains: 'none', losses: 'some' },
  { gains: 'some', losses: 'some' },
];

test.each<[string, unknown, unknown, object | undefined]>([
  ['token_bound_cidrs', ['a'], ['a'], undefined],
  ['token_bound_cidrs', undefined, ['a'], less],
  ['token_bound_cidrs', ['a'], undefined, more],
  ['token_bound_cidrs', ['a', 'b'], ['b'], less],
  ['token_bound_cidrs', ['a'], ['b'], both],
  ['token_bound_cidrs', '(hidden 1)', ['b'], both],
  ['bound_service_account_names', ['*'], ['web'], less],
  ['bound_service_account_names', ['web'], ['*', 'web'], more],
  ['bound_service_account_namespaces', undefined, ['shop'], both],
  ['required_extensions', ['a'], ['a', 'b'], less],
  ['required_extensions', ['a'], undefined, more],
  ['audience', undefined, 'a', less],
  ['audience', 'a', 'b', both],
  ['bind_secret_id', true, false, more],
  ['bind_secret_id', undefined, false, more],
  ['bind_secret_id', false, true, less],
  ['token_ttl', 2, 1, less],
  ['token_ttl', undefined, 1, both],
  ['token_ttl', '1h', 1, both],
  ['token_max_ttl', undefined, 1, less],
  ['token_max_ttl', 1, undefined, more],
  ['token_num_uses', 1, 2, more],
  ['unheard_of', 1, 2, both],
])('%s from %j to %j', (field, old, wanted, order) => {
  const side = (value: unknown) => (value === undefined ? {} : { [field]: value });
  expect(orderOf(side(old), side(wanted))).toEqual(order);
});

test('what lets in more in one field, and fewer in another, does both', () => {
  expect(orderOf({ token_ttl: 1, token_num_uses: 2 }, { token_ttl: 2, token_num_uses: 1 })).toEqual(both);
  expect(orderOf(undefined, undefined)).toBeUndefined();
});

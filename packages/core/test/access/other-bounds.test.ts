import { expect, test } from '@jest/globals';
import { orderOf } from '../../src/access/other-bounds.ts';

const [gain, less, both] = [
  { gains: 'some', losses: 'none' },
  { gains: 'none', losses: 'some' },
  { gains: 'some', losses: 'some' },
];

test.each<[string, unknown, unknown, object | undefined]>([
  ['token_bound_cidrs', ['10.0.0.0/8'], ['10.0.0.0/8'], undefined],
  ['token_bound_cidrs', undefined, ['10.0.0.0/8'], less],
  ['token_bound_cidrs', ['10.0.0.0/8'], undefined, gain],
  ['token_bound_cidrs', ['10.0.0.0/8'], ['10.1.0.0/16', '10.2.3.4'], less],
  ['secret_id_bound_cidrs', ['10.0.0.0/9', '10.128.0.0/9'], ['10.0.0.0/8'], undefined],
  ['token_bound_cidrs', ['10.0.0.4'], ['10.0.0.4/32'], undefined],
  ['token_bound_cidrs', ['0.0.0.0/0'], ['::/0'], both],
  ['token_bound_cidrs', ['0.0.0.0/0', '::/0'], undefined, undefined],
  ['token_bound_cidrs', ['10.0.0.0/8'], ['192.168.0.0/16'], both],
  ['token_bound_cidrs', ['(hidden 1)'], ['10.0.0.0/8'], both],
  ['allowed_common_names', ['a', 'b'], ['b'], less],
  ['token_bound_cidrs', '(hidden 1)', ['b'], both],
  ['bound_service_account_names', ['*'], ['web'], less],
  ['bound_service_account_names', ['web'], ['*', 'web'], gain],
  ['bound_service_account_namespaces', undefined, ['shop'], both],
  ['required_extensions', ['a'], ['a', 'b'], less],
  ['required_extensions', ['a'], undefined, gain],
  ['audience', undefined, 'a', less],
  ['audience', 'a', 'b', both],
  ['bind_secret_id', true, false, gain],
  ['bind_secret_id', undefined, false, gain],
  ['bind_secret_id', false, true, less],
  ['token_ttl', 2, 1, less],
  ['token_ttl', undefined, 1, both],
  ['token_ttl', '1h', 1, both],
  ['token_max_ttl', undefined, 1, less],
  ['token_max_ttl', 1, undefined, gain],
  ['token_num_uses', 1, 2, gain],
  ['disallowed_policies', undefined, ['a'], less],
  ['disallowed_policies', ['a'], ['a', 'b'], less],
  ['disallowed_policies_glob', ['a*'], undefined, gain],
  ['disallowed_policies', '(hidden 1)', ['a'], both],
  ['allowed_policies_glob', ['a*', 'b*'], ['b*'], less],
  ['token_no_default_policy', undefined, true, less],
  ['token_no_default_policy', true, undefined, gain],
  ['renewable', undefined, false, less],
  ['renewable', false, true, gain],
  ['identity_group_ids', ['a'], ['a', 'b'], less],
  ['mfa_method_ids', ['a'], ['a', 'b'], gain],
  ['bindpass', '(hidden 1)', '(hidden 2)', undefined],
  ['bindpass_wo_version', 1, 2, undefined],
  ['unheard_of', 1, 2, both],
])('%s from %j to %j', (field, old, wanted, order) => {
  const side = (value: unknown) => (value === undefined ? {} : { [field]: value });
  expect(orderOf(side(old), side(wanted))).toEqual(order);
});

test('what lets in more in one field, and fewer in another, does both', () => {
  expect(orderOf({ token_ttl: 1, token_num_uses: 2 }, { token_ttl: 2, token_num_uses: 1 })).toEqual(both);
  expect(orderOf(undefined, undefined)).toBeUndefined();
});

import { expect, test } from '@jest/globals';
import { compose, entry } from './terraform.ts';

const tuned = (tune: object[]) => ({
  path: 'ci',
  type: 'jwt',
  jwks_url: 'https://id.example.com/keys',
  tune,
});
const both = { max_lease_ttl: '24h', listing_visibility: 'unauth' };

test.each<[string, object[], string[]]>([
  ['removed in part', [{ listing_visibility: 'unauth' }], ['tune.maxLeaseTtl']],
  ['removed whole', [], ['tune.maxLeaseTtl', 'tune.listingVisibility']],
  ['changed', [{ max_lease_ttl: '25h', listing_visibility: 'hidden' }], []],
  ['given as its default', [{ max_lease_ttl: '0s', listing_visibility: 'hidden' }], []],
])('a tuning that is %s', (_, tune, left) => {
  const change = compose([entry('vault_jwt_auth_backend.ci', { before: tuned([both]), after: tuned(tune) })]);
  expect((change.left ?? []).map(({ name, field }) => [name, field])).toEqual(
    left.map((field) => ['ci', field]),
  );
});

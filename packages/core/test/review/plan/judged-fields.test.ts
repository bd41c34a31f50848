import { describe, expect, test } from '@jest/globals';
import { readable, untold } from '../../../src/review/plan/judged-fields.ts';
import type { PlannedSide } from '../../../src/review/plan/planned-resource.ts';
import type { Fields, PlannedType } from '../../../src/review/plan/resource-types.ts';

const side = (fields: Fields, unknown: string[] = []): PlannedSide => ({
  ...{ server: 's', namespace: '', fields, unknown, references: {} },
});
const suite = { provider: 'gsuite', gsuite_service_account: 'k', gsuite_admin_impersonate: 'a@b.c' };

const cases: Record<string, [PlannedType, Fields, ...string[]]> = {
  nothing: ['role', { bound_subject: null, bound_claims: undefined }],
  texts: ['role', { role_name: 'r', backend: 'b', bound_subject: 's', user_claim: 'sub' }],
  'no texts where names stand': ['role', { role_name: 1, backend: ['b'] }, 'role_name', 'backend'],
  'no text where a policy stands': ['policy', { policy: ['x'], name: 'p' }, 'policy'],
  'lists and texts of policies': ['role', { token_policies: ['a'], policies: 'a,b' }],
  'no names of policies': ['role', { token_policies: [1], policies: {} }, 'token_policies', 'policies'],
  'no names of policies, of any type': [
    'otherRole',
    { token_policies: [['a']], allowed_policies: 5 },
    'token_policies',
    'allowed_policies',
  ],
  'flags that end as policies do': ['group', { external_policies: true }],
  claims: ['role', { bound_claims: { a: 'x', b: [1, true] } }],
  'no claims': ['role', { bound_claims: [], claim_mappings: ['a'] }, 'bound_claims', 'claim_mappings'],
  'no claims, but a text': ['role', { bound_claims: 'a=b' }, 'bound_claims'],
  'no claims within': ['role', { bound_claims: { a: { b: 'c' } } }, 'bound_claims'],
  'no claims within one of two': ['role', { bound_claims: { a: 'x', b: { c: 'd' } } }, 'bound_claims'],
  'no map, but a text': ['role', { claim_mappings: 'a=b' }, 'claim_mappings'],
  'a list as a text': ['role', { bound_audiences: 'a,b', oidc_scopes: ['a'] }],
  'no list': [
    'role',
    { bound_audiences: { a: 'b' }, token_bound_cidrs: [1] },
    'bound_audiences',
    'token_bound_cidrs',
  ],
  times: ['role', { token_ttl: 60, token_max_ttl: '1h' }],
  'no time': ['role', { token_ttl: [60], token_max_ttl: true }, 'token_ttl', 'token_max_ttl'],
  'key sets': ['method', { jwks_pairs: [{ jwks_url: 'https://a' }] }],
  'no key sets, but a text': ['method', { jwks_pairs: '[{}]' }, 'jwks_pairs'],
  'a provider config': [
    'method',
    {
      provider_config: {
        ...suite,
        fetch_groups: 'true',
        user_custom_schemas: 'a',
        groups_recurse_max_depth: 3,
        fetch_user_info: true,
      },
    },
  ],
  'a provider config without defaults': [
    'method',
    { provider_config: { ...suite, fetch_groups: false, user_custom_schemas: '' } },
  ],
  'a provider config of a directory': ['method', { provider_config: { provider: 'azure' } }],
  'an empty provider config': ['method', { provider_config: {} }],
  'a provider config with more': [
    'method',
    { provider_config: { ...suite, planet: 'x' } },
    'provider_config',
  ],
  'a provider config of none that is known': [
    'method',
    { provider_config: { provider: 'okta' } },
    'provider_config',
  ],
  'no provider config': ['method', { provider_config: 'x' }, 'provider_config'],
  'no provider config, but a list': ['method', { provider_config: [] }, 'provider_config'],
  'a block': [
    'method',
    { tune: [{ max_lease_ttl: '1h', token_type: '', listing_visibility: null, planet: 1 }] },
  ],
  'a block that is no list': ['method', { tune: { maxLeaseTtl: '1h', passthroughRequestHeaders: [] } }],
  'an empty block': ['method', { tune: [] }],
  'no block': ['method', { tune: 'x' }, 'tune'],
  'no block within a list': ['method', { tune: ['x'] }, 'tune'],
  'a block with no time': ['method', { tune: [{ max_lease_ttl: 'often' }] }, 'tune'],
  metadata: ['group', { metadata: { a: 'b' } }],
  'a name that schemas drop': ['role', { claim_mappings: JSON.parse('{"__proto__":"x"}') }, 'claim_mappings'],
  'anything in a field that no table has': ['role', { planet: [{}] }],
};
test.each(Object.entries(cases))('is read or not: %s', (_, [type, fields, ...unreadable]) => {
  const given = side(fields);
  const read = readable(type, given);
  expect(read.unreadable).toEqual(unreadable);
  expect(Object.keys(read.side.fields)).toEqual(
    Object.keys(fields).filter((name) => !unreadable.includes(name)),
  );
});

describe('what a plan does not tell', () => {
  const untoldIn = (
    type: PlannedType,
    before: Fields | undefined,
    after: PlannedSide,
    unreadable: string[] = [],
  ) => untold(type, before && side(before), after, unreadable);

  const cases: Record<string, [PlannedType, Fields | undefined, PlannedSide, ...string[]]> = {
    'the service’s own': [
      'role',
      {},
      side({}, ['id', 'namespace', 'accessor', 'creation_time', 'last_update_time', 'timeouts']),
    ],
    'what names it': ['role', {}, side({}, ['role_name', 'backend'])],
    'what bears on nothing': ['role', {}, side({}, ['verbose_oidc_logging'])],
    'what bears on access': [
      'role',
      {},
      side({}, ['token_policies', 'bound_claims']),
      'policies',
      'boundClaims',
    ],
    'an older name': ['role', {}, side({}, ['bound_cidrs']), 'tokenBoundCidrs'],
    'a field of no table': ['role', {}, side({}, ['some_planet']), 'somePlanet'],
    'a field of a type without a table': ['otherRole', {}, side({}, ['bound_names']), 'boundNames'],
    'a field of a type that is looked at': ['token', {}, side({}, ['client_token'])],
    'a field of a message': ['message', {}, side({}, ['message_base64', 'planet'])],
    'a field of an alias, which is known as a whole': ['alias', {}, side({}, ['custom'])],
    'a field of no table that changes': ['role', { planet: 'x' }, side({ planet: 'y' }), 'planet'],
    'a field of no table that is new': ['role', undefined, side({ planet: 'y' }), 'planet'],
    'a field of no table that goes': ['role', { planet: 'x' }, side({}), 'planet'],
    'a field of no table that stays': ['role', { planet: ['x'] }, side({ planet: ['x'] })],
    'a field of no table that is as good as not set': [
      'role',
      { a: 0, b: false, c: '', d: [], e: {} },
      side({}),
    ],
    'a field of a type that is compared as it is': ['otherRole', { planet: 'x' }, side({ planet: 'y' })],
    'metadata of an external group': ['group', { metadata: { a: 'b' } }, side({ type: 'external' })],
    'metadata of an internal group': ['group', { metadata: { a: 'b' } }, side({ type: 'internal' })],
    'a known part of a block': [
      'method',
      { tune: [{ max_lease_ttl: '1h' }] },
      side({ tune: [{ max_lease_ttl: '2h' }] }),
    ],
    'an unknown part of a block': [
      'method',
      { tune: [{ planet: 'x' }] },
      side({ tune: [{ planet: 'y' }] }),
      'tune',
    ],
    'an unknown part of a block, not set': ['method', { tune: [{ planet: '' }] }, side({})],
    'a hidden value that is read otherwise': [
      'role',
      { bound_claims: { a: '(hidden 1)' }, bound_claims_type: 'glob' },
      side({ bound_claims: { a: '(hidden 1)' } }),
      'boundClaims',
    ],
    'a shown value that is read otherwise': [
      'role',
      { bound_claims: { a: 'x' }, bound_claims_type: 'glob' },
      side({ bound_claims: { a: 'x' } }),
    ],
    'a hidden value that is read as before': [
      'role',
      { bound_claims: { a: '(hidden 1)' }, disable_bound_claims_parsing: false },
      side({ bound_claims: { a: '(hidden 1)' } }),
    ],
    'a hidden value that is new': [
      'role',
      undefined,
      side({ bound_claims: { a: '(hidden 1)' }, bound_claims_type: 'glob' }),
    ],
    'a hidden value that is gone': [
      'role',
      { bound_claims: '(hidden 1)', bound_claims_type: 'glob' },
      side({}),
      'boundClaims',
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [type, before, after, ...fields]) => {
    expect(untoldIn(type, before, after).fields.map(({ model }) => model)).toEqual(fields);
  });

  test('what cannot be read is among it, by both of its names', () => {
    expect(untoldIn('role', {}, side({}), ['token_ttl'])).toEqual({
      fields: [{ wire: 'token_ttl', model: 'ttl' }],
      isHidden: false,
    });
  });

  test.each(['path', 'name', 'role_name', 'backend', 'title', 'mount_accessor', 'canonical_id'])(
    'a name may be hidden: %s',
    (name) => {
      const isHidden = (after: PlannedSide) => untoldIn('role', {}, after).isHidden;
      expect([
        isHidden(side({ [name]: 'x' }, [name])),
        isHidden(side({}, [name])),
        isHidden(side({ [name]: 'x' })),
      ]).toEqual([true, false, false]);
    },
  );
});

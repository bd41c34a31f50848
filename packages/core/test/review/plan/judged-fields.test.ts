import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readable, untold } from '../../../src/review/plan/judged-fields.ts';
import type { PlannedSide } from '../../../src/review/plan/planned-resource.ts';
import type { Fields, PlannedType } from '../../../src/review/plan/resource-types.ts';

/** A type, and the fields of a side: one with `?` is not known. */
function sideOf(text: string): PlannedSide {
  const given: Fields = parse(`{${text}}`);
  const unknown = Object.keys(given).flatMap((name) => (name.endsWith('?') ? name.slice(0, -1) : []));
  const fields = Object.fromEntries(Object.entries(given).filter(([name]) => !name.endsWith('?')));
  return { server: 's', namespace: '', fields, unknown, references: {} };
}
const typed = (text: string) => {
  const [type = '', ...rest] = text.split(' ');
  return [type as PlannedType, rest.join(' ')] as const;
};
const suite = 'provider: gsuite, gsuite_service_account: k, gsuite_admin_impersonate: a@b.c';
const ofSuite = (fields: string) => `method provider_config: {${suite}, ${fields}}`;

/** A field with `!` cannot be read. */
const cases: Record<string, string> = {
  texts: 'role role_name: r, backend: b, bound_subject: s, user_claim: sub',
  'no texts where names stand': 'role role_name!: 1, backend!: [b]',
  'no text where a policy stands': 'policy policy!: [x], name: p',
  'lists and texts of policies': "role token_policies: [a], policies: 'a,b'",
  'no names of policies': 'role token_policies!: [1], policies!: {}',
  'no names of policies, of any type': 'otherRole token_policies!: [[a]], allowed_policies!: 5',
  'flags that end as policies do': 'group external_policies: true',
  claims: 'role bound_claims: {a: x, b: [1, true]}',
  'no claims': 'role bound_claims!: [], claim_mappings!: [a]',
  'no claims, but a text': 'role bound_claims!: a=b',
  'no claims within': 'role bound_claims!: {a: {b: c}}',
  'no claims within one of two': 'role bound_claims!: {a: x, b: {c: d}}',
  'no map, but a text': 'role claim_mappings!: a=b',
  'a list as a text': "role bound_audiences: 'a,b', oidc_scopes: [a]",
  'no list': 'role bound_audiences!: {a: b}, token_bound_cidrs!: [1]',
  times: 'role token_ttl: 60, token_max_ttl: 1h',
  'no time': 'role token_ttl!: [60], token_max_ttl!: true',
  'key sets': 'method jwks_pairs: [{jwks_url: https://a}]',
  'no key sets, but a text': "method jwks_pairs!: '[{}]'",
  'a provider config': ofSuite(
    "fetch_groups: 'true', user_custom_schemas: a, groups_recurse_max_depth: 3, fetch_user_info: true",
  ),
  'a provider config without defaults': ofSuite("fetch_groups: false, user_custom_schemas: ''"),
  'a provider config of a directory': 'method provider_config: {provider: azure}',
  'an empty provider config': 'method provider_config: {}',
  'a provider config with more': `method provider_config!: {${suite}, planet: x}`,
  'a provider config of none that is known': 'method provider_config!: {provider: okta}',
  'no provider config': 'method provider_config!: x',
  'no provider config, but a list': 'method provider_config!: []',
  'a block': "method tune: [{max_lease_ttl: 1h, token_type: '', listing_visibility: null, planet: 1}]",
  'a block that is no list': 'method tune: {maxLeaseTtl: 1h, passthroughRequestHeaders: []}',
  'an empty block': 'method tune: []',
  'no block': 'method tune!: x',
  'no block within a list': 'method tune!: [x]',
  'a block with no time': 'method tune!: [{max_lease_ttl: often}]',
  metadata: 'group metadata: {a: b}',
  'a name that schemas drop': 'role claim_mappings!: {__proto__: x}',
  'anything in a field that no table has': 'role planet: [{}]',
};
test.each(Object.entries(cases))('is read or not: %s', (_, text) => {
  const [type, marked] = typed(text);
  const names = Object.keys(parse(`{${marked}}`));
  const read = readable(type, sideOf(marked.replaceAll(/!(?=:)/g, '')));
  expect(read.unreadable).toEqual(
    names.filter((name) => name.endsWith('!')).map((name) => name.slice(0, -1)),
  );
  expect(Object.keys(read.side.fields)).toEqual(names.filter((name) => !name.endsWith('!')));
});

test('is read or not: nothing', () => {
  const nothing = { ...sideOf(''), fields: { bound_subject: null, bound_claims: undefined } };
  expect(readable('role', nothing)).toEqual({ side: nothing, unreadable: [] });
});

describe('what a plan does not tell', () => {
  const untoldIn = (text: string, unreadable: string[] = []) => {
    const [type, change] = typed(text.replace(/^\+ /, ''));
    const [before = '', after = ''] = change.split('→').slice(-2);
    return text.startsWith('+')
      ? untold(type, undefined, sideOf(change), unreadable)
      : untold(type, sideOf(before), sideOf(after), unreadable);
  };

  /** Changes, and what is new with `+`, by what is not told of them. */
  const cases: Record<string, Record<string, string>> = {
    '': {
      'the service’s own': 'role → id?, namespace?, accessor?, creation_time?, last_update_time?, timeouts?',
      'what names it': 'role → role_name?, backend?',
      'what bears on nothing': 'role → verbose_oidc_logging?',
      'a field of a type that is looked at': 'token → client_token?',
      'a field of a message': 'message → message_base64?, planet?',
      'a field of an alias, which is known as a whole': 'alias → custom?',
      'a field of no table that stays': 'role planet: [x] → planet: [x]',
      'a field of no table that is as good as not set': "role a: 0, b: false, c: '', d: [], e: {} →",
      'a field of a type that is compared as it is': 'otherRole planet: x → planet: y',
      'metadata of an external group': 'group metadata: {a: b} → type: external',
      'metadata of an internal group': 'group metadata: {a: b} → type: internal',
      'a known part of a block': 'method tune: [{max_lease_ttl: 1h}] → tune: [{max_lease_ttl: 2h}]',
      'an unknown part of a block, not set': "method tune: [{planet: ''}] →",
      'a shown value that is read otherwise':
        'role bound_claims: {a: x}, bound_claims_type: glob → bound_claims: {a: x}',
      'a hidden value that is read as before':
        'role bound_claims: {a: (hidden 1)}, disable_bound_claims_parsing: false → bound_claims: {a: (hidden 1)}',
      'a hidden value that is new': '+ role bound_claims: {a: (hidden 1)}, bound_claims_type: glob',
    },
    'policies, boundClaims': { 'what bears on access': 'role → token_policies?, bound_claims?' },
    tokenBoundCidrs: { 'an older name': 'role → bound_cidrs?' },
    somePlanet: { 'a field of no table': 'role → some_planet?' },
    boundNames: { 'a field of a type without a table': 'otherRole → bound_names?' },
    planet: {
      'a field of no table that changes': 'role planet: x → planet: y',
      'a field of no table that is new': '+ role planet: y',
      'a field of no table that goes': 'role planet: x →',
    },
    tune: { 'an unknown part of a block': 'method tune: [{planet: x}] → tune: [{planet: y}]' },
    boundClaims: {
      'a hidden value that is read otherwise':
        'role bound_claims: {a: (hidden 1)}, bound_claims_type: glob → bound_claims: {a: (hidden 1)}',
      'a hidden value that is gone': 'role bound_claims: (hidden 1), bound_claims_type: glob →',
    },
  };
  const all = Object.entries(cases).flatMap(([fields, changes]) =>
    Object.entries(changes).map(([name, text]) => [name, text, fields] as const),
  );
  test.each(all)('%s', (_, text, fields) => {
    expect(
      untoldIn(text)
        .fields.map(({ model }) => model)
        .join(', '),
    ).toBe(fields);
  });

  test('what cannot be read is among it, by both of its names', () => {
    expect(untoldIn('role →', ['token_ttl'])).toEqual({
      fields: [{ wire: 'token_ttl', model: 'ttl' }],
      isHidden: false,
    });
  });

  test.each(['path', 'name', 'role_name', 'backend', 'title', 'mount_accessor', 'canonical_id'])(
    'a name may be hidden: %s',
    (name) => {
      const isHidden = (after: string) => untoldIn(`role → ${after}`).isHidden;
      expect([`${name}: x, ${name}?`, `${name}?`, `${name}: x`].map(isHidden)).toEqual([true, false, false]);
    },
  );
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { GatehouseError } from '../../../src/graph/values/errors.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';

const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const secret = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270', ciphertext: 'x' };
const leaf = fc.constantFrom<unknown>(
  'a',
  'b',
  '',
  'staff',
  '(hidden 1)',
  unknown,
  '[secret]',
  1,
  -1,
  true,
  null,
  secret,
  '{"a":1}',
  '[',
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(
      fc.constantFrom('a', 'provider', '__proto__', 'max_lease_ttl', 'fetch_groups'),
      tie('value'),
      { maxKeys: 3 },
    ),
  ),
}));
const { mark } = fc.letrec((tie) => ({
  mark: fc.oneof(
    { depthSize: 'small' },
    fc.boolean(),
    fc.array(tie('mark'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'provider'), tie('mark'), { maxKeys: 2 }),
  ),
}));
const names = [
  'path',
  'type',
  'accessor',
  'tune',
  'provider_config',
  'bound_issuer',
  'oidc_client_secret',
  'jwks_pairs',
  'backend',
  'role_name',
  'bound_claims',
  'claim_mappings',
  'token_policies',
  'token_ttl',
  'token_bound_cidrs',
  'id',
  'name',
  'policies',
  'metadata',
  'external_policies',
  'member_entity_ids',
  'member_group_ids',
  'mount_accessor',
  'canonical_id',
  'group_id',
  'entity_id',
  'policy',
  'title',
  'data_json',
  'namespace',
  'disabled',
];
const fields = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8 });
const marks = fc.oneof(fc.boolean(), fc.dictionary(fc.constantFrom(...names), mark, { maxKeys: 4 }));
const terraformTypes = [
  'jwt_auth_backend',
  'jwt_auth_backend_role',
  'identity_group',
  'identity_group_alias',
  'policy',
  'ui_custom_message',
  'identity_group_policies',
  'identity_group_member_entity_ids',
  'identity_entity',
  'identity_entity_policies',
  'identity_entity_alias',
  'auth_backend',
  'ldap_auth_backend',
  'aws_auth_backend_role',
  'github_team',
  'generic_endpoint',
  'generic_secret',
  'quota_rate_limit',
  'mount',
  'kv_secret',
];
const actions = [
  ['no-op'],
  ['create'],
  ['update'],
  ['delete'],
  ['delete', 'create'],
  ['create', 'delete'],
  ['forget'],
  ['create', 'forget'],
  ['read'],
];

const isFineOrRefused = (plan: unknown) => {
  try {
    const text = JSON.stringify(plan);
    for (const { change } of composeChanges(readPlan(text))) JSON.stringify(change);
  } catch (error) {
    expect(error).toBeInstanceOf(GatehouseError);
  }
};

test('whatever a Terraform plan holds, it is composed', () => {
  const side = fc.option(fields, { freq: 4 });
  const change = fc.record({
    type: fc.constantFrom(...terraformTypes.map((type) => `vault_${type}`)),
    at: fc.constantFrom('a', 'b', 'c["x"]', 'c[0]'),
    module: fc.constantFrom('', 'module.m.', 'module.m["x.y"].'),
    deposed: fc.constantFrom(undefined, 'd1'),
    change: fc.record({
      actions: fc.constantFrom(...actions),
      before: side,
      after: side,
      after_unknown: marks,
      before_sensitive: marks,
      after_sensitive: marks,
    }),
  });
  const plan = fc.array(change, { maxLength: 8 }).map((changes) => ({
    format_version: '1.2',
    resource_changes: changes.map(({ module, at, ...rest }) => ({
      ...rest,
      address: `${module}${rest.type}.${at}`,
    })),
    configuration: { provider_config: { vault: {}, 'vault.b': { expressions: { address: {} } } } },
    prior_state: {
      values: {
        root_module: {
          resources: changes.map(({ type, change: { before } }) => ({ mode: 'data', type, values: before })),
        },
      },
    },
  }));
  fc.assert(fc.property(plan, isFineOrRefused), { numRuns: isIn('npm test') ? 150 : 500 });
  // One that changes nothing leaves everything as it is, and nothing to be judged.
  const unchanged = plan.map((given) => ({
    ...given,
    resource_changes: given.resource_changes.map(({ change: one, ...rest }) => ({
      ...rest,
      change: { ...one, actions: ['no-op'], after: one.before, after_unknown: {} },
    })),
  }));
  fc.assert(
    fc.property(unchanged, (given) => {
      for (const { change: one } of composeChanges(readPlan(JSON.stringify(given)))) {
        expect(one.after).toEqual(one.before);
        expect(one.unknown).toEqual([]);
      }
    }),
    { numRuns: isIn('npm test') ? 150 : 500 },
  );
});

test('whatever a Pulumi preview holds, it is composed', () => {
  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const inputs = fields.map((given) =>
    Object.fromEntries(Object.entries(given).map(([name, one]) => [camel(name), one])),
  );
  const state = fc.record({
    inputs,
    outputs: inputs,
    retainOnDelete: fc.boolean(),
    provider: fc.constantFrom(undefined, 'urn:a::b::pulumi:providers:vault::x::1', 'none'),
  });
  const types = [
    'jwt/authBackend:AuthBackend',
    'jwt/authBackendRole:AuthBackendRole',
    'identity/group:Group',
    'identity/groupAlias:GroupAlias',
  ];
  const ops = [
    'same',
    'create',
    'update',
    'delete',
    'replace',
    'create-replacement',
    'delete-replaced',
    'refresh',
    'import',
    'read',
    'discard',
  ];
  const step = fc.record({
    op: fc.constantFrom(...ops),
    type: fc.constantFrom(
      ...types.map((type) => `vault:${type}`),
      'pulumi:providers:vault',
      'vault:generic/endpoint:Endpoint',
    ),
    name: fc.constantFrom('a', 'b'),
    oldState: fc.option(state),
    newState: fc.option(state),
    diffReasons: fc.constantFrom(null, [], ['boundClaims.a', 'policies[0]']),
  });
  const plan = fc.array(step, { maxLength: 8 }).map((steps) => ({
    steps: steps.map(({ type, name, oldState, newState, ...rest }) => ({
      ...rest,
      urn: `urn:pulumi:s::p::${type}::${name}`,
      oldState: oldState && { ...oldState, type },
      newState: newState && { ...newState, type },
    })),
  }));
  fc.assert(fc.property(plan, isFineOrRefused), { numRuns: isIn('npm test') ? 150 : 500 });
});

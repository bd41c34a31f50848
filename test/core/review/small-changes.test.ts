import { expect, test } from '@jest/globals';
import { reviewText } from '../../../cli/rendering/review-text.ts';
import { styleFor } from '../../../cli/rendering/style.ts';
import { Plan } from './changed-plan.ts';

const plan = () => new Plan();
const [role, reader] = ['vault_jwt_auth_backend_role.build', 'vault_policy.reader'];
const [admins, group] = ['vault_identity_group.admins', 'vault_identity_group.top'];
const top = { id: 'gid-top', name: 'top', type: 'internal', policies: ['login-admin'] };
const bob = { id: 'eid-bob', name: 'bob', policies: [], disabled: false, metadata: null };
const entity = 'vault_identity_entity.bob';
const bobs = 'vault_identity_entity_alias.bob';
const bobsAlias = { name: 'bob', mount_accessor: 'auth_oidc_staff01', canonical_id: 'eid-bob' };
const attached = 'vault_identity_group_policies.a';
const service = 'vault_kubernetes_auth_backend_role.app';
const app = { backend: 'kubernetes', role_name: 'app', bound_service_account_names: ['a', 'b'] };
const says = (path: string, limits = '') => `path "${path}" { capabilities = ["read"] ${limits} }`;
const denies = (path: string) => `path "${path}" { capabilities = ["deny"] }`;
const wrapped = (least: string, most: string) =>
  says('a', `min_wrapping_ttl = ${least} max_wrapping_ttl = ${most}`);
const attachment = (exclusive: boolean, ...policies: string[]) => ({
  group_id: 'gid-admins',
  exclusive,
  policies,
});
const people = 'vault_jwt_auth_backend_role.reader2';
const [write, wrote] = ['vault_generic_endpoint.e', { path: 'auth/ci/role/x' }];
const elsewhere = 'gid-elsewhere';
const [alias, method] = ['vault_identity_group_alias.admins', 'vault_jwt_auth_backend.ci'];
const [backend, userpass] = ['vault_auth_backend.u', { path: 'u', type: 'userpass', description: 'a' }];

const silent: Record<string, Plan> = {
  'nothing at all': plan(),
  'members of an internal group: null and an empty list': plan()
    .has(group, top)
    .update(group, { member_group_ids: null }, { member_group_ids: [] }),
  'members of an internal group in another order': plan()
    .has(group, top)
    .update(group, { member_entity_ids: ['x', 'y'] }, { member_entity_ids: ['y', 'x'] }),
  'a policy of a group that is attached as well': plan().add(
    attached,
    null,
    attachment(false, 'login-admin'),
    'create',
  ),
  'bounds of another auth method in another order': plan()
    .has(service, app)
    .update(service, {}, { bound_service_account_names: ['b', 'a'] }),
  'a field of another auth method: null and empty': plan()
    .has(service, app)
    .update(service, { audience: null }, { audience: '' }),
  'the data of a write in another order': plan().add(
    write,
    { ...wrote, data_json: '{"a":1,"b":2}' },
    { ...wrote, data_json: '{"b": 2, "a": 1}' },
    'update',
  ),
  'a write that stays there when it is no longer made': plan().add(
    write,
    { ...wrote, data_json: '{}', disable_delete: true },
    null,
    'delete',
  ),
  'the description of another auth method': plan()
    .has(backend, userpass)
    .update(backend, {}, { description: 'b' }),
  'a secret in a secrets engine': plan().add(
    'vault_kv_secret_v2.s',
    null,
    { mount: 'secret', name: 'x' },
    'create',
  ),
  'times of wrapping spelled otherwise': plan().update(
    reader,
    { policy: wrapped('"1h"', '7200') },
    { policy: wrapped('3600', '"120m"') },
  ),
  'spaces in a template': plan().update(
    reader,
    { policy: says('a/{{identity.entity.id}}') },
    { policy: says('a/{{ identity.entity.id }}') },
  ),
  'a claim of groups and the pointer to it': plan().update(
    people,
    { groups_claim: 'groups' },
    { groups_claim: '/groups' },
  ),
  'metadata of a group that no policy reads': plan().update(admins, {}, { metadata: { a: 'b' } }),
};
test.each(Object.entries(silent))('nobody gains or loses: %s', (_, changed) => {
  expect(changed.answer()).toBe('gains none, losses none');
});

test.each<[string, string, Plan]>([
  [
    'gains some, losses some',
    'names of policies are filled in',
    plan().update(role, { token_policies: ['p-{{.ref}}'] }, { token_policies_template_claims: true }),
  ],
  [
    'gains some, losses none',
    'an internal group gets a policy',
    plan()
      .has(group, { ...top, policies: [] })
      .update(group, {}, { policies: ['login-admin'] }),
  ],
  [
    'gains some, losses none',
    'an entity gets what roles here give as well',
    plan()
      .has(entity, bob)
      .update(entity, {}, { policies: ['reader'] }),
  ],
  [
    'gains unknown, losses some',
    'an entity that has what roles here give is deleted',
    plan().add(entity, { ...bob, policies: ['reader'] }, null, 'delete'),
  ],
  [
    'gains some, losses none',
    'an entity is enabled',
    plan().has(entity, bob).update(entity, { disabled: true }, { disabled: false }),
  ],
  [
    'gains none, losses some',
    'an entity is disabled',
    plan().has(entity, bob).update(entity, {}, { disabled: true }),
  ],
  [
    // The next sign-in makes another entity.
    'gains unknown, losses some',
    'an alias of a disabled entity is deleted',
    plan()
      .has(entity, { ...bob, disabled: true })
      .add(bobs, bobsAlias, null, 'delete'),
  ],
  [
    'gains some, losses unknown',
    'an alias of a disabled entity is new',
    plan()
      .has(entity, { ...bob, disabled: true })
      .add(bobs, null, bobsAlias, 'create'),
  ],
  [
    'gains unknown, losses some',
    'an alias of an entity is deleted',
    plan().has(entity, bob).add(bobs, bobsAlias, null, 'delete'),
  ],
  [
    'gains some, losses none',
    'an internal group comes into an external one',
    plan()
      .has(group, { ...top, policies: [] })
      .update(admins, {}, { member_group_ids: ['gid-top'] }),
  ],
  [
    'gains some, losses none',
    'a group without an alias here gets a policy',
    plan()
      .has(group, { ...top, type: 'external', policies: [] })
      .update(group, {}, { policies: ['reader'] }),
  ],
  [
    'gains unknown, losses unknown',
    'an attachment that is the only one',
    plan().add(attached, null, attachment(true, 'reader'), 'create'),
  ],
  [
    'gains unknown, losses unknown',
    'metadata of a group that a policy reads',
    plan()
      .update(admins, {}, { metadata: { a: 'b' } })
      .has('vault_policy.t', { name: 't', policy: says('a/{{identity.groups.names.admins.metadata.a}}') }),
  ],
  [
    'gains unknown, losses unknown',
    'a namespace that is not known',
    plan().update(role, {}, {}, { namespace: true }),
  ],
  [
    'gains unknown, losses unknown',
    'a type of a group that is not known',
    plan().update(admins, {}, {}, { type: true }),
  ],
  ['gains unknown, losses unknown', 'nothing of a role is known', plan().update(role, {}, {}, true)],
  [
    'gains unknown, losses none',
    'a denial that nobody here has is taken away',
    plan().add('vault_policy.d', { name: 'd', policy: denies('a') }, { name: 'd', policy: '' }, 'update'),
  ],
  [
    // Whoever has it elsewhere may have "*" by another policy, which "b" hid.
    'gains unknown, losses some',
    'a path of a policy that nobody here has is taken away',
    plan().add(
      'vault_policy.d',
      { name: 'd', policy: `${says('a')}\n${says('b')}` },
      { name: 'd', policy: says('a') },
      'update',
    ),
  ],
  [
    'gains some, losses none',
    'a policy that nobody here has gets a path',
    plan().add(
      'vault_policy.d',
      { name: 'd', policy: says('a') },
      { name: 'd', policy: `${says('a')}\n${says('b')}` },
      'update',
    ),
  ],
  [
    // It may have asked for a second factor, or limited something.
    'gains unknown, losses some',
    'a write to any path is deleted',
    plan().add(write, { path: 'identity/mfa/login-enforcement/x', data_json: '{}' }, null, 'delete'),
  ],
  [
    'gains some, losses unknown',
    'a write to any path',
    plan().add(write, null, { path: 'sys/quotas/rate-limit/x', data_json: '{}' }, 'create'),
  ],
  [
    'gains unknown, losses unknown',
    'a secret at a path of the service’s own is deleted',
    plan().add('vault_kv_secret.s', { path: 'kv/../sys/policies/acl/d', data_json: '{}' }, null, 'delete'),
  ],
  [
    'gains unknown, losses unknown',
    'a part of a dynamic block is unknown',
    plan()
      .update(
        method,
        { tune: [{ max_lease_ttl: '1h' }] },
        { tune: [{}] },
        { tune: [{ max_lease_ttl: true }] },
      )
      .given(method, 'path'),
  ],
  [
    'gains none, losses some',
    'an empty text is no longer bound',
    plan().update(role, { bound_claims: { ref: 'a,' } }, { bound_claims: { ref: 'a' } }),
  ],
  ...(['path', 'role'] as const).map((field): [string, string, Plan] => [
    'gains some, losses some',
    `a quota is on another ${field}`,
    plan().add(
      'vault_quota_rate_limit.q',
      { name: 'q', [field]: 'a' },
      { name: 'q', [field]: 'b' },
      'update',
    ),
  ]),
  [
    'gains some, losses some',
    'a person within another auth method gets other policies',
    plan().add(
      'vault_okta_auth_backend.o',
      { path: 'o', user: [{ username: 'u', policies: ['a'] }] },
      { path: 'o', user: [{ username: 'u', policies: ['b'] }] },
      'update',
    ),
  ],
  [
    'gains unknown, losses unknown',
    'a claim is bound by a name that JavaScript has',
    plan().update(role, { bound_claims: JSON.parse('{"__proto__":"x"}') }, { bound_claims: {} }),
  ],
  [
    'gains unknown, losses unknown',
    'a mount is tuned by a field that is not known',
    plan().update(method, { tune: [{ planet: 'x' }] }, { tune: [{ planet: 'y' }] }),
  ],
  [
    'gains unknown, losses none',
    'a denial ends some day',
    plan()
      .update(
        reader,
        { policy: denies('a') },
        { policy: denies('a').replace('}', 'expiration = "2999-01-01T00:00:00Z" }') },
      )
      .has('vault_policy.d', { name: 'd', policy: says('*') }),
  ],
  [
    'gains unknown, losses unknown',
    'an alias that leads into a group elsewhere is deleted',
    plan().add(
      'vault_identity_group_alias.x',
      { id: 'aid-x', name: '/x', mount_accessor: 'auth_oidc_staff01', canonical_id: elsewhere },
      null,
      'delete',
    ),
  ],
  [
    'gains unknown, losses unknown',
    'somebody comes into a group elsewhere',
    plan().add(
      'vault_identity_group_member_entity_ids.x',
      null,
      { group_id: elsewhere, member_entity_ids: ['eid-bob'], exclusive: false },
      'create',
    ),
  ],
  [
    'gains unknown, losses some',
    'groups are read from a claim, and no alias is here',
    plan().update(role, { groups_claim: null }, { groups_claim: 'groups' }),
  ],
  // Measured on OpenBao: a blank makes another alias, and letters are folded one by one.
  ['gains some, losses some', 'an alias gets a blank', plan().update(alias, {}, { name: '/admins ' })],
  [
    'gains some, losses some',
    'a policy by another letter',
    plan().update(role, { token_policies: ['ΑΣ'] }, { token_policies: ['ας'] }),
  ],
  [
    'gains some, losses some',
    'tokens that can be renewed become batch tokens',
    plan().update(role, { token_type: 'service' }, { token_type: 'batch' }),
  ],
  [
    'gains some, losses none',
    'wrapping for longer',
    plan().update(reader, { policy: wrapped('60', '3600') }, { policy: wrapped('60', '7200') }),
  ],
  [
    'gains none, losses some',
    'wrapping for at least longer',
    plan().update(reader, { policy: wrapped('60', '3600') }, { policy: wrapped('120', '3600') }),
  ],
])('%s: %s', (answer, _, changed) => {
  expect(changed.answer()).toBe(answer);
});

test('other keys are told where they let in others', () => {
  const keys = { oidc_discovery_url: null, jwks_url: 'https://keys.example.net/jwks' };
  const review = plan().update('vault_jwt_auth_backend.ci', {}, keys).review();
  expect(reviewText(review, styleFor({}, {}))).toContain(
    'why: tokens may be signed by keys of https://keys.example.net/jwks',
  );
});

test('what takes access away is no way in', () => {
  const rule = { name: 'x', auth_method_accessors: ['a'], mfa_method_ids: ['m'] };
  const text = (changed: Plan) => reviewText(changed.review(), styleFor({}, {}));
  const mfa = 'vault_identity_mfa_login_enforcement.x';
  expect(text(plan().add(mfa, null, rule, 'create'))).toMatch(
    /Other access: .*\n.*is new, and takes access away/,
  );
  expect(text(plan().add(mfa, rule, null, 'delete'))).toMatch(
    /Other access: .*\n.*took access away, and is gone/,
  );
});

test('of a thousand roles with a policy that is widened, ten are named', () => {
  const held = Array.from({ length: 1000 }, (_, at) => at).reduce(
    (one, at) =>
      one.has(`vault_jwt_auth_backend_role.r${at}`, {
        backend: 'ci',
        role_name: `r${at}`,
        token_policies: ['reader'],
      }),
    plan(),
  );
  const review = held.update(reader, {}, { policy: says('secret/*') }).review();
  expect(review.findings.find(({ rule }) => rule === 'policy-widened')?.message).toMatch(
    / and 99[0-9] more, at once\.$/,
  );
});

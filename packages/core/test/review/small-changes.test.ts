import { describe, expect, test } from '@jest/globals';
import { reviewText } from '../../../cli/src/review/review-text.ts';
import { styleFor } from '../../../cli/src/terminal/style.ts';
import { Plan } from './changed-plan.ts';

const plan = () => new Plan();
const [role, reader] = ['vault_jwt_auth_backend_role.build', 'vault_policy.reader'];
const [admins, group] = ['vault_identity_group.admins', 'vault_identity_group.top'];
const top = { id: 'gid-top', name: 'top', type: 'internal', policies: ['login-admin'] };
const bob = { id: 'eid-bob', name: 'bob', policies: [], disabled: false, metadata: null };
const disabled = { ...bob, disabled: true };
const [entity, bobs] = ['vault_identity_entity.bob', 'vault_identity_entity_alias.bob'];
const bobsAlias = { name: 'bob', mount_accessor: 'auth_oidc_staff01', canonical_id: 'eid-bob' };
const attached = 'vault_identity_group_policies.a';
const service = 'vault_kubernetes_auth_backend_role.app';
const app = { backend: 'kubernetes', role_name: 'app' };
const says = (path: string, limits = '') => `path "${path}" { capabilities = ["read"] ${limits} }`;
const denies = (path: string) => `path "${path}" { capabilities = ["deny"] }`;
const wrapped = (least: string, most: string) => ({
  policy: says('a', `min_wrapping_ttl = ${least} max_wrapping_ttl = ${most}`),
});
const attachment = (exclusive: boolean, ...policies: string[]) => ({
  ...{ group_id: 'gid-admins', exclusive, policies },
});
const [write, wrote] = ['vault_generic_endpoint.e', { path: 'auth/ci/role/x' }];
const elsewhere = 'gid-elsewhere';
const [alias, method] = ['vault_identity_group_alias.admins', 'vault_jwt_auth_backend.ci'];
const userpass = { path: 'u', type: 'userpass', description: 'a' };
const [quota, people] = ['vault_quota_lease_count.q', 'vault_okta_auth_backend.o'];
const user = (...policies: string[]) => ({ user: [{ username: 'u', policies }] });
const members = 'vault_identity_group_member_entity_ids.a';
const ofTop = { group_id: 'gid-top', member_entity_ids: ['eid-bob'] };
const othersElsewhere = { external_member_entity_ids: true, external_policies: true };
/** A group whose members and policies are managed elsewhere as well. */
const shared = (one: object = top) =>
  plan()
    .has(entity, bob)
    .has(group, { ...one, ...othersElsewhere });
/** A policy that no one here has. */
const policy = (before: string, after: string) =>
  plan().turns('vault_policy.d', { name: 'd' }, { policy: before }, { policy: after });

const answers: Record<string, Record<string, Plan>> = {
  'gains none, losses none': {
    // A server takes no members of an external group by hand, and the provider leaves them out.
    'an internal group comes into an external one': plan()
      .has(group, { ...top, policies: [] })
      .update(admins, {}, { member_group_ids: ['gid-top'] }),
    'nothing at all': plan(),
    'groups of a user of Okta in another order': plan().turns(
      people,
      { path: 'o', organization: 'o' },
      { user: [{ username: 'u', groups: ['a', 'b'], policies: ['reader'] }] },
      { user: [{ username: 'u', groups: ['b', 'a'], policies: ['reader'] }] },
    ),
    'a password of a user, whose kind of mount is not in the plan': plan().turns(
      'vault_generic_endpoint.u',
      { path: 'auth/people/users/bob' },
      { data_json: '{"password":"a","policies":"reader"}' },
      { data_json: '{"password":"b","policies":"reader"}' },
    ),
    'members of an internal group: null and an empty list': plan().turns(
      group,
      top,
      { member_group_ids: null },
      { member_group_ids: [] },
    ),
    'members of an internal group in another order': plan().turns(
      group,
      top,
      { member_entity_ids: ['x', 'y'] },
      { member_entity_ids: ['y', 'x'] },
    ),
    'a policy of a group that is attached as well': plan().creates(
      attached,
      attachment(false, 'login-admin'),
    ),
    'bounds of another auth method in another order': plan().turns(
      service,
      app,
      { bound_service_account_names: ['a', 'b'] },
      { bound_service_account_names: ['b', 'a'] },
    ),
    'a field of another auth method: null and empty': plan().turns(
      service,
      app,
      { audience: null },
      { audience: '' },
    ),
    'the data of a write in another order': plan().turns(
      write,
      wrote,
      { data_json: '{"a":1,"b":2}' },
      { data_json: '{"b": 2, "a": 1}' },
    ),
    'a write that stays there when it is no longer made': plan().deletes(write, {
      ...wrote,
      data_json: '{}',
      disable_delete: true,
    }),
    'the description of another auth method': plan().turns(
      'vault_auth_backend.u',
      userpass,
      {},
      { description: 'b' },
    ),
    'a secret in a secrets engine': plan().creates('vault_kv_secret_v2.s', { mount: 'secret', name: 'x' }),
    'times of wrapping spelled otherwise': plan().update(
      reader,
      wrapped('"1h"', '7200'),
      wrapped('3600', '"120m"'),
    ),
    'spaces in a template': plan().update(
      reader,
      { policy: says('a/{{identity.entity.id}}') },
      { policy: says('a/{{ identity.entity.id }}') },
    ),
    'a claim of groups and the pointer to it': plan().update(
      'vault_jwt_auth_backend_role.reader2',
      { groups_claim: 'groups' },
      { groups_claim: '/groups' },
    ),
  },
  'gains some, losses none': {
    'an internal group gets a policy': plan().turns(
      group,
      top,
      { policies: [] },
      { policies: ['login-admin'] },
    ),
    'an entity gets what roles here give as well': plan().turns(entity, bob, {}, { policies: ['reader'] }),
    'an entity is enabled': plan().turns(entity, disabled, {}, { disabled: false }),
    'a group without an alias here gets a policy': plan().turns(
      group,
      { ...top, type: 'external' },
      { policies: [] },
      { policies: ['reader'] },
    ),
    'a policy that no one here has gets a path': policy(says('a'), `${says('a')}\n${says('b')}`),
    'wrapping for longer': plan().update(reader, wrapped('60', '3600'), wrapped('60', '7200')),
    'members are the only ones of a group without others': plan()
      .has(entity, bob)
      .has(group, top)
      .creates(members, ofTop),
    'members are the only ones of a new group': plan()
      .has(entity, bob)
      .creates(group, { ...top, ...othersElsewhere })
      .creates(members, ofTop),
    'the only members become more': shared().turns(members, { group_id: 'gid-top' }, {}, ofTop),
  },
  'gains none, losses some': {
    'an entity is disabled': plan().turns(entity, bob, {}, { disabled: true }),
    'an empty text is no longer bound': plan().update(
      role,
      { bound_claims: { ref: 'a,' } },
      { bound_claims: { ref: 'a' } },
    ),
    'wrapping for at least longer': plan().update(reader, wrapped('60', '3600'), wrapped('120', '3600')),
  },
  'gains some, losses some': {
    'members are the only ones of a group that has others itself': plan()
      .has(entity, bob)
      .has(group, { ...top, member_entity_ids: ['eid-eve'] })
      .creates(members, ofTop),
    'names of policies are filled in': plan().update(
      role,
      { token_policies: ['p-{{.ref}}'] },
      { token_policies_template_claims: true },
    ),
    'a quota is on another path': plan().turns(quota, { name: 'q' }, { path: 'a' }, { path: 'b' }),
    'a quota is on another role': plan().turns(quota, { name: 'q' }, { role: 'a' }, { role: 'b' }),
    'a person within another auth method gets other policies': plan().turns(
      people,
      { path: 'o' },
      user('a'),
      user('b'),
    ),
    // Measured on OpenBao: a blank makes another alias, and letters are folded one by one.
    'an alias gets a blank': plan().update(alias, {}, { name: '/admins ' }),
    'a policy by another letter': plan().update(role, { token_policies: ['ΑΣ'] }, { token_policies: ['ας'] }),
    'tokens that can be renewed become batch tokens': plan().update(
      role,
      { token_type: 'service' },
      { token_type: 'batch' },
    ),
  },
  'gains unknown, losses some': {
    'an attachment that is the only one': plan().creates(attached, attachment(true, 'reader')),
    'an attachment goes whose policy its group lists as well': plan().deletes(
      attached,
      attachment(false, 'login-admin'),
    ),
    'an attachment no longer has a policy that its group lists as well': plan().turns(
      attached,
      { group_id: 'gid-admins', exclusive: false },
      { policies: ['login-admin', 'reader'] },
      { policies: ['reader'] },
    ),
    'an entity that has what roles here give is deleted': plan().deletes(entity, {
      ...bob,
      policies: ['reader'],
    }),
    // The next sign-in makes another entity.
    'an alias of a disabled entity is deleted': plan().has(entity, disabled).deletes(bobs, bobsAlias),
    'an alias of an entity is deleted': plan().has(entity, bob).deletes(bobs, bobsAlias),
    // Principals elsewhere that have it may have "*" by another policy, which "b" hid.
    'a path of a policy that no one here has is taken away': policy(`${says('a')}\n${says('b')}`, says('a')),
    // It may have asked for a second factor, or limited something.
    'a write to any path is deleted': plan().deletes(write, {
      path: 'identity/mfa/login-enforcement/x',
      data_json: '{}',
    }),
    'a secret at a path of the service’s own is deleted': plan().deletes('vault_kv_secret.s', {
      path: 'kv/../sys/policies/acl/d',
      data_json: '{}',
    }),
    'groups are read from a claim, and no alias is here': plan().update(
      role,
      { groups_claim: null },
      { groups_claim: 'groups' },
    ),
  },
  'gains some, losses unknown': {
    'an alias of a disabled entity is new': plan().has(entity, disabled).creates(bobs, bobsAlias),
    'a write to any path': plan().creates(write, { path: 'sys/quotas/rate-limit/x', data_json: '{}' }),
    'members are the only ones of a group that has others elsewhere': shared().creates(members, ofTop),
    'members are said to be the only ones': shared().creates(members, { ...ofTop, exclusive: true }),
    'policies are the only ones of a group that has others elsewhere': shared({
      ...top,
      policies: null,
    }).creates(attached, { group_id: 'gid-top', policies: ['reader'] }),
  },
  'gains unknown, losses none': {
    'metadata of a group that no policy here reads': plan().update(admins, {}, { metadata: { a: 'b' } }),
    'a denial that no one here has is taken away': policy(denies('a'), ''),
    'a denial ends some day': plan()
      .update(
        reader,
        { policy: denies('a') },
        { policy: denies('a').replace('}', 'expiration = "2999-01-01T00:00:00Z" }') },
      )
      .has('vault_policy.d', { name: 'd', policy: says('*') }),
  },
  'gains unknown, losses unknown': {
    'metadata of a group that a policy reads': plan()
      .update(admins, {}, { metadata: { a: 'b' } })
      .has('vault_policy.t', { name: 't', policy: says('a/{{identity.groups.names.admins.metadata.a}}') }),
    'a name of a group that a policy reads': plan()
      .update(admins, {}, { name: 'owners' })
      .has('vault_policy.t', { name: 't', policy: says('a/{{identity.groups.names.admins.metadata.a}}') }),
    'a namespace that is not known': plan().update(role, {}, {}, { namespace: true }),
    'a type of a group that is not known': plan().update(admins, {}, {}, { type: true }),
    'nothing of a role is known': plan().update(role, {}, {}, true),
    'a part of a dynamic block is unknown': plan()
      .update(
        method,
        { tune: [{ max_lease_ttl: '1h' }] },
        { tune: [{}] },
        { tune: [{ max_lease_ttl: true }] },
      )
      .given(method, 'path'),
    'a claim is bound by a name that JavaScript has': plan().update(
      role,
      { bound_claims: JSON.parse('{"__proto__":"x"}') },
      { bound_claims: {} },
    ),
    'a mount is tuned by a field that is not known': plan().update(
      method,
      { tune: [{ planet: 'x' }] },
      { tune: [{ planet: 'y' }] },
    ),
    'an alias that leads into a group elsewhere is deleted': plan().deletes('vault_identity_group_alias.x', {
      ...{ id: 'aid-x', name: '/x', mount_accessor: 'auth_oidc_staff01', canonical_id: elsewhere },
    }),
    'an entity comes into a group elsewhere': plan().creates('vault_identity_group_member_entity_ids.x', {
      ...{ group_id: elsewhere, member_entity_ids: ['eid-bob'], exclusive: false },
    }),
    'members become the only ones': shared().turns(members, ofTop, { exclusive: false }, { exclusive: true }),
  },
};
describe.each(Object.entries(answers))('%s', (answer, all) => {
  test.each(Object.entries(all))('%s', (_, changed) => {
    expect(changed.answer()).toBe(answer);
  });
});

test('other keys are told where they let in others', () => {
  const keys = { oidc_discovery_url: null, jwks_url: 'https://keys.example.net/jwks' };
  const review = plan().update('vault_jwt_auth_backend.ci', {}, keys).review();
  expect(reviewText(review, styleFor({}, {}), { columns: 200 })).toContain(
    'why: tokens may be signed by keys of https://keys.example.net/jwks',
  );
});

test('what takes access away is no way in', () => {
  const rule = { name: 'x', auth_method_accessors: ['a'], mfa_method_ids: ['m'] };
  const text = (changed: Plan) => reviewText(changed.review(), styleFor({}, {}));
  const mfa = 'vault_identity_mfa_login_enforcement.x';
  expect(text(plan().creates(mfa, rule))).toMatch(/mfa login enforcement.*–.*it is new and denies access/);
  expect(text(plan().deletes(mfa, rule))).toMatch(
    /mfa login enforcement.*–.*it denied access and is removed/,
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
    / and 99[0-9] more at once\.$/,
  );
});

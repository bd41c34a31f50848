import { describe, expect, test } from '@jest/globals';
import { reviewText } from '../../../cli/src/review/review-text.ts';
import { styleFor } from '../../../cli/src/terminal/style.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { review } from '../../src/review/review.ts';
import { entries, type PlanEntry } from '../worlds.ts';
import { now } from './graphs.ts';
import { terraform } from './plan/terraform.ts';

/** What the plan of each change has, unless the change says more of it. */
const service = entries(`
  method staff oidc oidc_client_id: secrets, default_role: reader, oidc_discovery_url: https://id.example.com
  method ci bound_issuer: https://git.example.com, oidc_discovery_url: https://git.example.com, tune: []
  role staff/reader reader role_type: oidc, bound_audiences: null, groups_claim: groups, token_ttl: 3600,
    allowed_redirect_uris: ['http://localhost:8250/oidc/callback']
  role build reader bound_audiences: [https://secrets.example.com], token_ttl: 600,
    bound_claims: {project_id: '42'}
  policy reader: secret/data/app/* read
  policy login-admin: auth/* create,read,update,delete,list,sudo; sys/policies/acl/* create,read,update,delete
  group admins login-admin
  alias /admins staff admins`);

function reviewOf(text: string, rest: object = {}) {
  const all = new Map(service.map((one) => [one.address, one]));
  for (const one of entries(text)) all.set(one.address, onTopOf(all.get(one.address), one));
  return review(readPlan(terraform([...all.values()], rest)), { now });
}

function onTopOf(known: PlanEntry | undefined, { change, ...one }: PlanEntry): PlanEntry {
  const [before, after] = [change.before, change.after].map((side) =>
    side ? { ...known?.change.before, ...side } : null,
  );
  for (const field of Object.keys(change.after_unknown)) delete after?.[field];
  return { ...one, change: { ...change, before: before ?? null, after: after ?? null } };
}

const says = (path: string, limits: string) => `path "${path}" { capabilities = ["read"] ${limits} }`;
const wraps = (least: string, most: string) =>
  says('a', `min_wrapping_ttl = ${least} max_wrapping_ttl = ${most}`);
const ofTeam = 'policy t: a/{{identity.groups.names.admins.metadata.a}} read';
/** A group whose members and policies are managed elsewhere as well. */
const shared = (policies = 'login-admin') =>
  `entity bob -\n internal top ${policies} external_member_entity_ids: true, external_policies: true`;
const app = 'kubernetes_auth_backend_role.app backend: kubernetes, role_name: app';
const user = (fields: string) => `user: [{username: u, ${fields}}]`;
const password = (word: string) => `data_json: '{"password":"${word}","policies":"reader"}'`;

const answers: Record<string, Record<string, string>> = {
  'gains none, losses none': {
    // A server takes no members of an external group by hand, and the provider leaves them out.
    'an internal group comes into an external one':
      'internal top -\n ~ group admins → member_group_ids: [id-top]',
    'nothing at all': '',
    'groups of a user of Okta in another order': `~ okta_auth_backend.o path: o, organization: o,
      ${user('groups: [a, b], policies: [reader]')} → ${user('groups: [b, a], policies: [reader]')}`,
    'a password of a user, whose kind of mount is not in the plan': `~ generic_endpoint.u path: auth/people/users/bob,
      ${password('a')} → ${password('b')}`,
    'members of an internal group: null and an empty list':
      '~ internal top login-admin member_group_ids: null → member_group_ids: []',
    'members of an internal group in another order':
      '~ internal top login-admin member_entity_ids: [x, y] → member_entity_ids: [y, x]',
    'a policy of a group that is attached as well': '+ attach admins login-admin exclusive: false',
    'bounds of another auth method in another order': `~ ${app}, bound_service_account_names: [a, b]
      → bound_service_account_names: [b, a]`,
    'a field of another auth method: null and empty': `~ ${app}, audience: null → audience: ''`,
    'the data of a write in another order': `~ generic_endpoint.e path: auth/ci/role/x,
      data_json: '{"a":1,"b":2}' → data_json: '{"b": 2, "a": 1}'`,
    'a write that stays there when it is no longer made':
      "- generic_endpoint.e path: auth/ci/role/x, data_json: '{}', disable_delete: true",
    'the description of another auth method': '~ mount u userpass description: a → description: b',
    'a secret in a secrets engine': '+ kv_secret_v2.s mount: secret, name: x',
    'times of wrapping spelled otherwise': `~ policy reader: ${wraps('"1h"', '7200')}
      → ${wraps('3600', '"120m"')}`,
    'spaces in a template':
      '~ policy reader: a/{{identity.entity.id}} read → a/{{ identity.entity.id }} read',
    'a claim of groups and the pointer to it':
      '~ role staff/reader reader role_type: oidc, groups_claim: groups → groups_claim: /groups',
  },
  'gains some, losses none': {
    'an internal group gets a policy': '~ internal top - → login-admin',
    'an entity gets what roles here give as well': '~ entity bob - → reader',
    'an entity is enabled': '~ entity bob - disabled: true → disabled: false',
    'a group without an alias here gets a policy': '~ group top - → reader',
    'a policy that no one here has gets a path': '~ policy d: a read → a read; b read',
    'wrapping for longer': `~ policy reader: ${wraps('60', '3600')} → ${wraps('60', '7200')}`,
    'members are the only ones of a group without others':
      'entity bob -\n internal top login-admin\n + join top entity:bob',
    'members are the only ones of a new group': `entity bob -
      + internal top login-admin external_member_entity_ids: true, external_policies: true
      + join top entity:bob`,
    'the only members become more': `${shared()}\n ~ join top → entity:bob`,
  },
  'gains none, losses some': {
    'an entity is disabled': '~ entity bob - disabled: false → disabled: true',
    'an empty text is no longer bound': "~ role build bound_claims: {ref: 'a,'} → bound_claims: {ref: a}",
    'wrapping for at least longer': `~ policy reader: ${wraps('60', '3600')} → ${wraps('120', '3600')}`,
  },
  'gains some, losses some': {
    'members are the only ones of a group that has others itself':
      'entity bob -\n internal top login-admin entity:eve\n + join top entity:bob',
    'names of policies are filled in': '~ role build p-{{.ref}} → token_policies_template_claims: true',
    'a quota is on another path': '~ quota_lease_count.q name: q, path: a → path: b',
    'a quota is on another role': '~ quota_lease_count.q name: q, role: a → role: b',
    'a person within another auth method gets other policies': `~ okta_auth_backend.o path: o,
      ${user('policies: [a]')} → ${user('policies: [b]')}`,
    // Measured on OpenBao: a blank makes another alias, and letters are folded one by one.
    'an alias gets a blank': "~ alias /admins staff admins → name: '/admins '",
    'a policy by another letter': '~ role build ΑΣ → ας',
  },
  'gains unknown, losses some': {
    'an attachment that is the only one': '+ attach admins reader exclusive: true',
    'an attachment goes whose policy its group lists as well': '- attach admins login-admin exclusive: false',
    'an attachment no longer has a policy that its group lists as well':
      '~ attach admins login-admin,reader exclusive: false → reader',
    'an entity that has what roles here give is deleted': '- entity bob reader disabled: false',
    // The next sign-in makes another entity.
    'an alias of a disabled entity is deleted': 'entity bob - disabled: true\n - entity-alias bob staff bob',
    'an alias of an entity is deleted': 'entity bob - disabled: false\n - entity-alias bob staff bob',
    // Principals elsewhere that have it may have "*" by another policy, which "b" hid.
    'a path of a policy that no one here has is taken away': '~ policy d: a read; b read → a read',
    // It may have asked for a second factor, or limited something.
    'a write to any path is deleted':
      "- generic_endpoint.e path: identity/mfa/login-enforcement/x, data_json: '{}'",
    'a secret at a path of the service’s own is deleted':
      "- kv_secret.s path: kv/../sys/policies/acl/d, data_json: '{}'",
    'groups are read from a claim, and no alias is here':
      '~ role build groups_claim: null → groups_claim: groups',
  },
  'gains some, losses unknown': {
    'an alias of a disabled entity is new': 'entity bob - disabled: true\n + entity-alias bob staff bob',
    'a write to any path': "+ generic_endpoint.e path: sys/quotas/rate-limit/x, data_json: '{}'",
    'members are the only ones of a group that has others elsewhere': `${shared()}\n + join top entity:bob`,
    'members are said to be the only ones': `${shared()}\n + join top entity:bob exclusive: true`,
    'policies are the only ones of a group that has others elsewhere': `${shared('policies: null,')}
      + attach top reader`,
  },
  'gains unknown, losses none': {
    'metadata of a group that no policy here reads': '~ group admins → metadata: {a: b}',
    'a denial that no one here has is taken away': '~ policy d: a deny → -',
    'a denial ends some day': `policy d: * read
      ~ policy reader: a deny → path "a" { capabilities = ["deny"] expiration = "2999-01-01T00:00:00Z" }`,
  },
  'gains unknown, losses unknown': {
    'metadata of a group that a policy reads': `${ofTeam}\n ~ group admins → metadata: {a: b}`,
    'a name of a group that a policy reads': `${ofTeam}\n ~ group admins → name: owners`,
    'a namespace that is not known': '~ role build → namespace?',
    'a type of a group that is not known': '~ group admins → type?',
    'a claim is bound by a name that JavaScript has':
      '~ role build bound_claims: {__proto__: x} → bound_claims: {}',
    'a mount is tuned by a field that is not known': '~ method ci tune: [{planet: x}] → tune: [{planet: y}]',
    'an alias that leads into a group elsewhere is deleted': '- alias /x staff elsewhere',
    'an entity comes into a group elsewhere': '+ join elsewhere entity:bob exclusive: false',
    'members become the only ones': `${shared()}\n ~ join top entity:bob exclusive: false → exclusive: true`,
  },
};
describe.each(Object.entries(answers))('%s', (answer, all) => {
  test.each(Object.entries(all))('%s', (_, changed) => {
    const { gains, losses } = reviewOf(changed);
    expect(`gains ${gains}, losses ${losses}`).toBe(answer);
  });
});

test('tokens that can be renewed become batch tokens: they lose their renewal and cubbyhole, and last longer', () => {
  const { gains, losses, life } = reviewOf('~ role build token_type: service → token_type: batch');
  expect([gains, losses, life]).toEqual(['none', 'some', 'longer']);
});

test.each<[what: string, address: string, after: object, unknown: unknown]>([
  ['nothing of a role', 'vault_jwt_auth_backend_role.build', {}, true],
  // The configuration gives the path alone: the rest is of a dynamic block.
  [
    'a part of a dynamic block',
    'vault_jwt_auth_backend.ci',
    { tune: [{}] },
    { tune: [{ max_lease_ttl: true }] },
  ],
])('gains unknown, losses unknown: %s is known', (_, address, after, after_unknown) => {
  const changes = service.map(({ change, ...one }) =>
    one.address === address
      ? {
          ...one,
          change: { ...change, actions: ['update'], after: { ...change.after, ...after }, after_unknown },
        }
      : { ...one, change },
  );
  const resources = [{ address: 'vault_jwt_auth_backend.ci', expressions: { path: {} } }];
  const configuration = { root_module: { resources } };
  const found = review(readPlan(terraform(changes, { configuration })), { now });
  expect([found.gains, found.losses]).toEqual(['unknown', 'unknown']);
});

test('other keys are told where they let in others', () => {
  const found = reviewOf('~ method ci → oidc_discovery_url: null, jwks_url: https://keys.example.net/jwks');
  expect(reviewText(found, styleFor({}, {}), { columns: 200 })).toContain(
    'why: tokens may be signed by keys of https://keys.example.net/jwks',
  );
});

test.each([
  ['+', 'it is new and denies access'],
  ['-', 'it denied access and is removed'],
])('what takes access away is no way in: %s', (sign, why) => {
  const mfa = 'identity_mfa_login_enforcement.x name: x, auth_method_accessors: [a], mfa_method_ids: [m]';
  const text = reviewText(reviewOf(`${sign} ${mfa}`), styleFor({}, {}));
  expect(text).toMatch(new RegExp(`mfa login enforcement.*–.*${why}`));
});

test('of a thousand roles with a policy that is widened, ten are named', () => {
  const roles = Array.from({ length: 1000 }, (_, at) => `role r${at} reader`);
  const { findings } = reviewOf(
    `${roles.join('\n')}\n ~ policy reader: secret/data/app/* read → secret/* read`,
  );
  expect(findings.find(({ rule }) => rule === 'policy-widened')?.message).toMatch(
    / and 99[0-9] more at once\.$/,
  );
});

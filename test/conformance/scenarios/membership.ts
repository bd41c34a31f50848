import { get, post, type Scenario, type Step } from '../step.ts';
import { jwt } from '../tokens.ts';

const login = (does: string, claims: Record<string, unknown>): Step =>
  post(
    does,
    'auth/ms/login',
    { role: 'r', jwt: jwt({ sub: 'ms-ann', ...claims }) },
    {
      token: '',
      keep: { msAnn: 'auth.client_token', msEntity: 'auth.entity_id' },
    },
  );

export const membership: Scenario[] = [
  {
    name: 'membership follows each login',
    steps: [
      post('a method', 'sys/auth/ms', { type: 'jwt' }),
      get('its accessor', 'sys/auth/ms', { keep: { msMount: 'data.accessor' } }),
      post('configuring it', 'auth/ms/config', { jwt_validation_pubkeys: ['{pem}'] }),
      post('a role', 'auth/ms/role/r', {
        role_type: 'jwt',
        user_claim: 'sub',
        bound_audiences: ['app'],
        groups_claim: 'groups',
        policies: 'ms-own',
      }),
      post(
        'an external group',
        'identity/group',
        { name: 'ms-admins', type: 'external', policies: 'ms-admin' },
        {
          keep: { msGroup: 'data.id' },
        },
      ),
      post('its alias', 'identity/group-alias', {
        name: 'admins',
        mount_accessor: '{msMount}',
        canonical_id: '{msGroup}',
      }),
      post(
        'a group around it',
        'identity/group',
        { name: 'ms-all', member_group_ids: ['{msGroup}'], policies: 'ms-all' },
        {
          keep: { msAll: 'data.id' },
        },
      ),
      login('without a group', { groups: [] }),
      login('with the group', { groups: ['admins', 'unknown'] }),
      get('the group has a member', 'identity/group/id/{msGroup}'),
      get('who is in both', 'identity/entity/id/{msEntity}'),
      get('the token says so', 'auth/token/lookup-self', { token: '{msAnn}' }),
      post(
        'it may not what no policy allows',
        'sys/capabilities-self',
        { paths: ['sys/auth'] },
        { token: '{msAnn}' },
      ),
      post('the policy of the group', 'sys/policies/acl/ms-admin', {
        policy: 'path "sys/auth" { capabilities = ["read"] }',
      }),
      get('it may now', 'sys/auth/ms', { token: '{msAnn}' }),
      post('and says so', 'sys/capabilities-self', { paths: ['sys/auth'] }, { token: '{msAnn}' }),
      login('without the group again', { groups: ['unknown'] }),
      get('the group has none', 'identity/group/id/{msGroup}'),
      post('it may no more', 'sys/capabilities-self', { paths: ['sys/auth'] }, { token: '{msAnn}' }),
      post('disabling who signed in', 'identity/entity/id/{msEntity}', { disabled: true }),
      get('the token is refused', 'auth/token/lookup-self', { token: '{msAnn}' }),
      login('and so is a login', { groups: [] }),
      post('enabling them', 'identity/entity/id/{msEntity}', { disabled: false, policies: ['ms-entity'] }),
      login('which lets them in, with the policy of their entity', { groups: [] }),
    ],
  },
];

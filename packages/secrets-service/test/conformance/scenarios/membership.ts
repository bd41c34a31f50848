import { alias, by, get, jwtMethod, keep, post, type Scenario, type Step } from '../step.ts';
import { jwt, jwtRole } from '../tokens.ts';

const login = (does: string, claims: Record<string, unknown>): Step =>
  keep(
    { msAnn: 'auth.client_token', msEntity: 'auth.entity_id' },
    by('', post(does, 'auth/ms/login', { role: 'r', jwt: jwt({ sub: 'ms-ann', ...claims }) })),
  );
const may = (does: string) => by('msAnn', post(does, 'sys/capabilities-self', { paths: ['sys/auth'] }));

export const membership: Scenario[] = [
  {
    name: 'membership follows each login',
    steps: [
      ...jwtMethod('ms', 'msMount'),
      post('a role', 'auth/ms/role/r', { ...jwtRole, groups_claim: 'groups', policies: 'ms-own' }),
      keep(
        'msGroup',
        post('an external group', 'identity/group', {
          name: 'ms-admins',
          type: 'external',
          policies: 'ms-admin',
        }),
      ),
      alias('group')('its alias', 'admins', '{msMount}', '{msGroup}'),
      post('a group around it', 'identity/group', {
        name: 'ms-all',
        member_group_ids: ['{msGroup}'],
        policies: 'ms-all',
      }),
      login('without a group', { groups: [] }),
      login('with the group', { groups: ['admins', 'unknown'] }),
      get('the group has a member', 'identity/group/id/{msGroup}'),
      get('who is in both', 'identity/entity/id/{msEntity}'),
      get('the token says so', 'auth/token/lookup-self', { token: '{msAnn}' }),
      may('it may not what no policy allows'),
      post('the policy of the group', 'sys/policies/acl/ms-admin', {
        policy: 'path "sys/auth" { capabilities = ["read"] }',
      }),
      get('it may now', 'sys/auth/ms', { token: '{msAnn}' }),
      may('and says so'),
      login('without the group again', { groups: ['unknown'] }),
      get('the group has none', 'identity/group/id/{msGroup}'),
      may('it may no more'),
      post('disabling who signed in', 'identity/entity/id/{msEntity}', { disabled: true }),
      get('the token is refused', 'auth/token/lookup-self', { token: '{msAnn}' }),
      login('and so is a login', { groups: [] }),
      post('enabling them', 'identity/entity/id/{msEntity}', { disabled: false, policies: ['ms-entity'] }),
      login('which lets them in, with the policy of their entity', { groups: [] }),
    ],
  },
];

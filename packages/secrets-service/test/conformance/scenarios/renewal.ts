import { alias, by, get, jwtMethod, keep, post, remove, type Scenario, type Step } from '../step.ts';
import { jwt, jwtRole } from '../tokens.ts';

const role = { ...jwtRole, groups_claim: 'groups' };
const writeRole = (does: string, fields: object) => post(does, 'auth/rn/role/r', { ...role, ...fields });
const login = (does: string, groups: string[] = [], name = 'r'): Step =>
  keep(
    { rn: 'auth.client_token', rnAccessor: 'auth.accessor', rnEntity: 'auth.entity_id' },
    by('', post(does, 'auth/rn/login', { role: name, jwt: jwt({ sub: 'rn-ann', groups }) })),
  );
const renew = (does: string, increment?: string) =>
  by('rn', post(does, 'auth/token/renew-self', { increment }));
const policies = (does: string) => by('rn', get(does, 'auth/token/lookup-self'));
const groupAlias = (does: string) => keep('rnAlias', alias('group')(does, 'team', '{rnMount}', '{rnGroup}'));
const create = (does: string, name: string, body: object) =>
  keep({ [name]: 'auth.client_token' }, post(does, 'auth/token/create', body));
const gone = (does: string, name: string): Step => ({
  ...by(name, get(does, 'auth/token/lookup-self')),
  // OpenBao revokes in the background.
  until: ['errors.0', 'permission denied'],
});

/** Tokens that a method made, and what becomes of them when it goes from its path. */
const leaving = (how: string, step: Step): Step[] => [
  post(`a role that makes tokens, ${how}`, 'auth/rn/role/maker', { ...role, token_policies: ['rn-maker'] }),
  post(`a role of batch tokens, ${how}`, 'auth/rn/role/batch', { ...role, token_type: 'batch' }),
  keep({ rnBatch: 'auth.client_token' }, login(`a batch token, ${how}`, [], 'batch')),
  login(`a token that makes tokens, ${how}`, [], 'maker'),
  by('rn', create(`its child, ${how}`, 'rnChild', {})),
  step,
  gone(`it is revoked, ${how}`, 'rn'),
  gone(`its child is revoked, ${how}`, 'rnChild'),
  by('rnBatch', get(`the batch token lives on, ${how}`, 'auth/token/lookup-self')),
  by('rnOther', get(`as one that is not of the method, ${how}`, 'auth/token/lookup-self')),
];

// vault-plugin-auth-jwt path_login.go, pathLoginRenew; openbao/openbao vault/expiration.go, vault/auth.go.
export const renewal: Scenario[] = [
  {
    name: 'the life of logins',
    steps: [
      ...jwtMethod('rn', 'rnMount'),
      writeRole('a role', { token_ttl: '10m' }),
      login('a login'),
      writeRole('other times and policies for the role', { token_ttl: '20m', token_policies: ['other'] }),
      renew('renews for the time that the role has now, with the policies it had'),
      writeRole('a longest time for the role', { token_max_ttl: '30m' }),
      renew('renews no longer than that', '5h'),
      writeRole('a period for the role', { token_max_ttl: 0, token_period: '15m' }),
      renew('renews for the period', '5h'),
      remove('deleting the role', 'auth/rn/role/r'),
      renew('renewing without the role'),
      post('the same by its accessor', 'auth/token/renew-accessor', { accessor: '{rnAccessor}' }),
      writeRole('the role again', { token_period: 0 }),

      keep(
        'rnGroup',
        post('a group', 'identity/group', { name: 'rn-team', type: 'external', policies: 'rn-team' }),
      ),
      groupAlias('its alias'),
      keep({ rnFirst: 'auth.client_token' }, login('a login with the group', ['team'])),
      login('a login without it'),
      by('rnFirst', get('the first has lost the group', 'auth/token/lookup-self')),
      by('rnFirst', post('which its renewal brings back', 'auth/token/renew-self', {})),
      by('rnFirst', get('the first has the group', 'auth/token/lookup-self')),
      login('another login with the group', ['team']),
      remove('deleting the alias', 'identity/group-alias/id/{rnAlias}'),
      policies('it keeps the group'),
      renew('until it is renewed'),
      policies('then it is without'),
      login('a login with a group that has no alias', ['team']),
      groupAlias('the alias again'),
      renew('renewing it'),
      policies('does not join the group'),

      post('a policy that makes tokens', 'sys/policies/acl/rn-maker', {
        policy: 'path "auth/token/create" { capabilities = ["update"] }',
      }),
      create('a token of another', 'rnOther', {}),
      ...leaving('moved', post('moving the method', 'sys/remount', { from: 'auth/rn', to: 'auth/rn-moved' })),
      post('moving it back', 'sys/remount', { from: 'auth/rn-moved', to: 'auth/rn' }),
      get('once it is there', 'sys/auth/rn', { until: ['data.accessor', '{rnMount}'] }),
      ...leaving('disabled', remove('disabling the method', 'sys/auth/rn')),
      get('the alias of the group stays', 'identity/group-alias/id/{rnAlias}'),
      get('the alias of the entity stays', 'identity/entity/id/{rnEntity}'),
    ],
  },
  {
    name: 'who may write roles',
    steps: [
      post('a method', 'sys/auth/rw', { type: 'jwt' }),
      post('a role', 'auth/rw/role/r', role),
      ...['create', 'update'].flatMap((capability) => [
        post(`a policy to ${capability}`, `sys/policies/acl/rw-${capability}`, {
          policy: `path "auth/rw/role/*" { capabilities = ["${capability}"] }`,
        }),
        create(`its token to ${capability}`, `rw${capability}`, { policies: [`rw-${capability}`] }),
        by(`rw${capability}`, post(`a new role, to ${capability}`, 'auth/rw/role/New', role)),
        by(`rw${capability}`, post(`one that is there, to ${capability}`, 'auth/rw/role/R', role)),
        remove(`deleting the new one, to ${capability}`, 'auth/rw/role/new'),
      ]),
    ],
  },
];

import { alias, jwtMethod, keep, post, type Scenario, type Step } from '../step.ts';
import { jwt, jwtRole } from '../tokens.ts';

/** What a policy with this template lets the token do. */
const filled = (does: string, template: string, path: string): Step[] => [
  post(`${does}: a policy with it`, 'sys/policies/acl/tm-policy', {
    policy: `path "tm/{{${template}}}/*" { capabilities = ["read"] }`,
  }),
  post(does, 'sys/capabilities-self', { paths: [`tm/${path}/x`] }, { token: '{tmToken}' }),
];

export const templates: Scenario[] = [
  {
    name: 'templates in policies',
    steps: [
      ...jwtMethod('tm', 'tmMount'),
      post('a role', 'auth/tm/role/r', { ...jwtRole, groups_claim: 'groups', token_policies: ['tm-policy'] }),
      keep(
        'tmGroup',
        post('an external group', 'identity/group', {
          name: 'Tm',
          type: 'external',
          metadata: { k: 'of-it', star: '*' },
        }),
      ),
      alias('group')('its alias', 'tm', '{tmMount}', '{tmGroup}'),
      keep(
        'tmOuter',
        post('a group around it', 'identity/group', {
          name: 'tm-outer',
          member_group_ids: ['{tmGroup}'],
          metadata: { k: 'of-outer' },
        }),
      ),
      keep(
        'tmOther',
        post('a group without them', 'identity/group', { name: 'tm-other', metadata: { k: 'of-other' } }),
      ),
      keep(
        { tmToken: 'auth.client_token', tmEntity: 'auth.entity_id' },
        post('signs in', 'auth/tm/login', { role: 'r', jwt: jwt({ sub: 'tm', groups: ['tm'] }) }),
      ),
      post('metadata of the entity', 'identity/entity/id/{tmEntity}', { metadata: { k: 'of-entity' } }),
      alias('entity')('metadata of its alias', 'tm', '{tmMount}', '{tmEntity}', {
        custom_metadata: { k: 'of-alias' },
      }),
      ...filled('the id of a group by its name', 'identity.groups.names.Tm.id', '{tmGroup}'),
      ...filled('the name of a group by its name', 'identity.groups.names.Tm.name', 'Tm'),
      ...filled('a name in other letters', 'identity.groups.names.tm.id', '{tmGroup}'),
      ...filled('metadata of a group', 'identity.groups.names.Tm.metadata.k', 'of-it'),
      ...filled('metadata that is not there', 'identity.groups.names.Tm.metadata.none', ''),
      ...filled('the name of a group by its id', 'identity.groups.ids.{tmGroup}.name', 'Tm'),
      ...filled('metadata of a group by its id', 'identity.groups.ids.{tmGroup}.metadata.k', 'of-it'),
      ...filled('the group around it', 'identity.groups.names.tm-outer.metadata.k', 'of-outer'),
      ...filled('a group of others', 'identity.groups.names.tm-other.metadata.k', 'of-other'),
      ...filled('a group of others by its id', 'identity.groups.ids.{tmOther}.name', 'tm-other'),
      ...filled('a group that is none', 'identity.groups.names.none.id', ''),
      ...filled('the groups themselves', 'identity.groups.names', ''),
      ...filled('metadata as a whole', 'identity.groups.names.Tm.metadata', ''),
      ...filled('metadata of an alias', 'identity.entity.aliases.{tmMount}.custom_metadata.k', 'of-alias'),
      ...filled('the name of an alias', 'identity.entity.aliases.{tmMount}.name', 'tm'),
      ...filled('what the sign-in said', 'identity.entity.aliases.{tmMount}.metadata.role', 'r'),
      ...filled('metadata of the entity by a template', 'identity.entity.metadata.k', 'of-entity'),
      ...filled('a field that no one may read', 'identity.entity.created', ''),
    ],
  },
];

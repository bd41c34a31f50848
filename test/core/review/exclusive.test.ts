import { expect, test } from '@jest/globals';
import { Plan } from './changed-plan.ts';

const group = 'vault_identity_group.top';
const members = 'vault_identity_group_member_entity_ids.a';
const policies = 'vault_identity_group_policies.a';
const top = { id: 'gid-top', name: 'top', type: 'internal', policies: ['login-admin'] };
const bob = { id: 'eid-bob', name: 'bob', policies: [], disabled: false, metadata: null };
const ofTop = { group_id: 'gid-top', member_entity_ids: ['eid-bob'] };
const elsewhere = { external_member_entity_ids: true, external_policies: true };
const plan = () => new Plan().has('vault_identity_entity.bob', bob);
const left = (one: object = top) => plan().has(group, { ...one, ...elsewhere });

test.each<[string, string, Plan]>([
  ...[{ exclusive: true }, {}].map((only): [string, string, Plan] => [
    'gains some, losses unknown',
    `members are the only ones of a group that has others elsewhere: ${JSON.stringify(only)}`,
    left().add(members, null, { ...ofTop, ...only }, 'create'),
  ]),
  [
    'gains unknown, losses unknown',
    'members become the only ones',
    left()
      .has(members, { ...ofTop, exclusive: false })
      .update(members, {}, { exclusive: true }),
  ],
  [
    'gains some, losses unknown',
    'policies are the only ones of a group that has others elsewhere',
    left({ ...top, policies: null }).add(
      policies,
      null,
      { group_id: 'gid-top', policies: ['reader'] },
      'create',
    ),
  ],
  [
    'gains some, losses unknown',
    'members are the only ones of a group that has others itself',
    plan()
      .has(group, { ...top, member_entity_ids: ['eid-eve'] })
      .add(members, null, ofTop, 'create'),
  ],
  [
    'gains some, losses none',
    'members are the only ones of a group without others',
    plan().has(group, top).add(members, null, ofTop, 'create'),
  ],
  [
    'gains some, losses none',
    'members are the only ones of a new group',
    plan()
      .add(group, null, { ...top, ...elsewhere }, 'create')
      .add(members, null, ofTop, 'create'),
  ],
  [
    'gains some, losses none',
    'the only members become more',
    left().has(members, { group_id: 'gid-top' }).update(members, {}, ofTop),
  ],
])('%s: %s', (answer, _, changed) => {
  expect(changed.answer()).toBe(answer);
});

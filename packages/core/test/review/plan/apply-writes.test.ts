import { expect, test } from '@jest/globals';
import { entries } from '../../worlds.ts';
import { compose, unknownIn } from './terraform.ts';

/** A mount of people, an external group with an alias there, and a person. */
const mount = 'method staff oidc';
const team = `${mount}\n group g p`;
const person = 'entity bob p\n identity_entity_policies.e entity_id: id-bob, policies: [q]';
/** The mount, deleted by one resource and made by another. */
const anew = '- method@old staff oidc\n + method@new staff oidc';
const k8s = 'auth_backend.k path: k8s, type: kubernetes, accessor: acc-k8s';
const workload = `kubernetes_auth_backend_role.r backend: k8s, role_name: r, token_policies: [x]
  entity bob p
  entity-alias b k8s bob`;
const moving = 'oidc → path: people';

interface Found {
  unknown?: string[];
  [part: string]: unknown;
}

/** What remains, where all is known unless it says otherwise. */
const cases: Record<string, [plan: string, found: Found]> = {
  'a role that goes by one name and comes by another: no order ties them': [
    '- role@old r a\n + role@new r a',
    { unknown: ['role ci/r'] },
  ],
  'a role that goes, and is left as it is by another resource, is gone': [
    '- role@old r a\n role@other r a',
    { after: { roles: [] } },
  ],
  'a role that is made anew under another name before the old one goes': [
    '+/- role r a → role_name: new',
    { after: { roles: [{ name: 'new' }] } },
  ],
  'a mount that moves takes its roles and aliases along': [
    `~ method staff ${moving}\n role staff/r a\n group g p\n alias /g staff g`,
    {
      before: { roles: [{ method: 'staff', name: 'r' }], aliases: [{ method: 'staff' }] },
      after: { roles: [{ method: 'people', name: 'r' }], aliases: [{ method: 'people' }] },
    },
  ],
  'a mount that is replaced loses the roles that are not written again': [
    '-/+ method staff oidc → jwt\n role staff/stays a\n ~ role staff/again a → b',
    { after: { roles: [{ name: 'again' }] }, orphaned: [{ type: 'role', name: 'stays', method: 'staff' }] },
  ],
  'a mount that one resource deletes and another makes is replaced': [
    `${anew}\n role staff/stays a`,
    { replaced: [{ type: 'method', name: 'staff' }], after: { roles: [] } },
  ],
  'an alias that moves away from a group elsewhere: what is lost is not known': [
    `${team}\n ~ alias /g staff other → staff g`,
    { unknown: ['group id-other policies'] },
  ],
  'a group that changes writes its whole list: what is attached and stays is gone': [
    `${mount}\n ~ group g p → x\n attach g q`,
    { after: { groups: [{ name: 'g', policies: ['x'] }], identities: [] } },
  ],
  'a group that leaves its list to others leaves what is attached': [
    `${mount}\n ~ group g p external_policies: true → metadata: {a: b}\n attach g q`,
    { after: { identities: [{ name: 'g', policies: ['q'] }] } },
  ],
  'members are not attached to an external group': [
    'group g p\n entity bob p\n + join g entity:bob',
    { after: { identities: [{ name: 'bob' }] } },
  ],
  'a group that goes takes its alias and what is attached to it along': [
    `${mount}\n - group g p\n alias /g staff g\n attach g x`,
    { after: { groups: [], aliases: [], identities: [] } },
  ],
  'an entity that goes takes its alias and what is attached to it along': [
    `${mount}\n - ${person}\n entity-alias b staff bob`,
    { before: { identities: [{}, {}], others: [{}] }, after: { identities: [], others: [] } },
  ],
  'a new alias of a group takes the place of its old one': [
    `${team}\n alias /g staff g\n + alias /b staff g`,
    { after: { aliases: [{ name: '/b' }] } },
  ],
  'an alias that is written again for its group leaves another one': [
    `${team}\n ~ alias /g staff g → name: /h\n alias /b staff g`,
    { after: { aliases: [{ name: '/h' }, { name: '/b' }] } },
  ],
  'a role that is made where a mount moves to takes the place of the one there': [
    `~ method staff ${moving}\n role staff/r a\n + role@new people/r b`,
    { after: { roles: [{ method: 'people', policies: ['b'] }] } },
  ],
  'of two new aliases of one group, no one knows which stays': [
    `${team}\n + alias /a staff g\n + alias /b staff g`,
    { unknown: ['alias staff//a', 'alias staff//b'] },
  ],
  'a mount that is deleted takes the roles of any kind along': [
    `- ${k8s}\n ${workload.split('\n')[0]}`,
    { before: { others: [{}, {}] }, after: { others: [] } },
  ],
  'a mount of any kind that moves takes along what is in it, under its new path': [
    `~ ${k8s} → path: kube\n ${workload}`,
    { before: { others: otherRolesOf('k8s') }, after: { others: otherRolesOf('kube') } },
  ],
  'a mount that is forgotten keeps its secret; another one in its stead has no other': [
    '+/. method staff oidc oidc_client_secret: a → path: people, oidc_client_secret: b',
    { after: { methods: [{ path: 'staff' }, { path: 'people' }] }, rotated: [] },
  ],
  'an alias that is written again on a mount that one resource deletes and another makes is gone': [
    `${anew}\n group g p\n ~ alias /g staff g → name: /h`,
    { after: { aliases: [] }, orphaned: [{ type: 'alias', name: '/g', method: 'staff' }] },
  ],
  'what is attached anew before the old attachment goes is taken away by its end, whoever else lists it': [
    'group g p,q\n +/- attach g q exclusive: false',
    { after: { groups: [{ policies: ['p'] }], identities: [] } },
  ],
  'nothing is left of a list whose one attachment is made anew before the old one goes': [
    'group g p external_policies: true\n +/- attach g q',
    { after: { groups: [{ policies: [] }], identities: [] } },
  ],
  'an attachment that is made anew after the old one goes is there': [
    'group g p\n -/+ attach g q exclusive: false',
    { after: { groups: [{ policies: ['p'] }], identities: [{ policies: ['q'] }] } },
  ],
  'of one attachment that gives what another one takes, no one knows which is the last': [
    'group g p\n - attach@old g q exclusive: false\n + attach@new g q exclusive: false',
    { unknown: ['group g'] },
  ],
  'an attachment that is the only one may take what another one gives': [
    'group g p external_policies: true\n ~ attach@all g x → policies: [y]\n + attach@new g q exclusive: false',
    { unknown: ['group g'] },
  ],
  'an attachment that is made anew before the old one goes keeps what only the new one gives': [
    'group g p\n +/- attach g q exclusive: false → policies: [r]',
    { after: { groups: [{ policies: ['p'] }], identities: [{ policies: ['r'] }] } },
  ],
  'an attachment that is made anew for another group is there, whichever goes first': [
    'group g p\n group h p\n +/- attach g q exclusive: false → group_id: id-h',
    {
      after: {
        groups: [{ policies: ['p'] }, { policies: ['p'] }],
        identities: [{ name: 'h', policies: ['q'] }],
      },
    },
  ],
  'the end of the only attachment may take what the group writes': [
    'group g p\n ~ internal i p → x\n - attach i q',
    { unknown: ['group i'] },
  ],
  'an alias that is made anew takes the place of another one, or the other way round': [
    `${team}\n + alias /b staff g\n -/+ alias /a staff g`,
    { unknown: ['alias staff//b', 'alias staff//a'] },
  ],
  'a role that is deleted by its path may be there under the new one, where its mount moves': [
    `~ method staff ${moving}\n - role staff/r a`,
    { unknown: ['role staff/r'] },
  ],
  'a role that is made anew where its mount moves to takes the place of the one there, too': [
    `~ method staff ${moving}\n -/+ role staff/r a → backend: people`,
    { after: { roles: [{ method: 'people' }] } },
  ],
  'one attachment takes what no other one gives': [
    'group g p\n - attach@old g q exclusive: false\n + attach@new g r exclusive: false',
    { after: { groups: [{ policies: ['p'] }], identities: [{ policies: ['r'] }] } },
  ],
};
test.each(Object.entries(cases))('%s', (_, [plan, found]) => expectChange(entries(plan), found));

test('where deletes are last, an attachment that goes takes what a new one gives', () => {
  const plan = 'group g p\n - attach@old g q exclusive: false\n + attach@new g q exclusive: false';
  const { after, unknown } = compose(plan, { gatehouse: { deletes_last: true } });
  expect(after).toMatchObject({ groups: [{ policies: ['p'] }] });
  expect([after.identities, unknown]).toEqual([undefined, []]);
});

test.each<[what: string, plan: string, found: Found]>([
  ['of a role that is written at the same time', '- role r a\n ~ role r a → b', { unknown: ['role ci/r'] }],
  ['that is forgotten stays', '. role r a', { after: { roles: [{}] } }],
  ...['-', '.'].map((sign): [string, string, Found] => [
    `is not what was there, where a role is newer: ${sign}`,
    `${sign} role r old\n role r a`,
    { before: { roles: [{ policies: ['a'] }] }, after: { roles: sign === '-' ? [] : [{ policies: ['a'] }] } },
  ]),
])('a leftover %s', (_, plan, found) => {
  const [left = {}, ...rest] = entries(plan);
  const leftover = { ...left, deposed: 'a1' };
  expectChange([leftover, ...rest], found);
  expectChange([...rest, leftover], found);
});

function expectChange(changes: object[], { unknown = [], ...found }: Found): void {
  const change = compose(changes);
  expect(unknownIn(change)).toEqual(unknown);
  const after = { identities: [], others: [], ...change.after };
  expect({ ...change, after }).toMatchObject(found);
}

function otherRolesOf(path: string): object[] {
  return [
    { kind: 'otherMethod', path, type: 'kubernetes' },
    { kind: 'otherRole', method: path, name: 'r', type: 'kubernetes' },
    { kind: 'entityAlias', method: path, name: 'b', entity: 'bob' },
  ];
}

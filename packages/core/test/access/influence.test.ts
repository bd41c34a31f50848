import { expect, test } from '@jest/globals';
import { type Influence, influences, mayReach } from '../../src/access/influence.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import type { Change } from '../../src/graph/change.ts';
import { keyOfNode } from '../../src/graph/nodes/other-node.ts';
import { resources } from '../../src/graph/resources/resources.ts';
import { reasonWords } from '../../src/words/reason-words.ts';
import { now } from '../review/graphs.ts';
import { change, graph } from '../worlds.ts';

interface World extends Partial<Pick<Change, 'replaced' | 'remade' | 'remadeOthers' | 'unknown'>> {
  change: string;
  says: string[];
}

const appRole = 'approle apps/app -';
const bobs = 'entity-alias bob ci bob';
const reading = 'policy t: kv/{{identity.groups.names.g.metadata.team}} read';
const filled = 'what policy t allows, which group g fills in';
const named = 'policy t: kv/{{identity.groups.names.g.name}} read';
const byName = (of: string) => `policies elsewhere that read the name of ${of}`;
const elsewhere = (of: string) => `groups, policies and second factors elsewhere of ${of}`;
const secretId = '~ secret-id s apps/app metadata: {team: dev} → metadata: {team: prod}';
const replaced: Change['replaced'] = [{ type: 'method', name: 'ci' }];
const keys = (host: string) => `jwksUrl: https://${host}.example/keys`;

/** Changes in which an attribute matters, by its row. */
const worlds: Record<string, World[]> = {
  'method id': [
    { change: 'method ci', replaced, says: ['entities and groups elsewhere with an alias of auth/ci'] },
    {
      change: 'complete aliases others identities\n method ci\n - role r',
      replaced,
      says: ['what others make again at auth/ci, which is replaced'],
    },
  ],
  'otherRole id': [
    {
      change: appRole,
      remadeOthers: (graph(appRole).others ?? []).map(keyOfNode),
      says: ['the entity that principals of role app of apps (approle) are known as'],
    },
  ],
  'role groupsClaim': [
    {
      change: '~ role r groupsClaim: groups → groupsClaim: teams',
      says: ['other groups with an alias of auth/ci'],
    },
    {
      change: `complete\n ${named}\n group g -\n alias a ci g\n ~ role r → groupsClaim: groups`,
      says: [filled],
    },
  ],
  'alias group': [
    { change: 'group g -\n + alias a ci g', says: [elsewhere('group g')] },
    { change: `${reading}\n group g -\n + alias a ci g`, says: [elsewhere('group g'), filled] },
    { change: `complete\n ${named}\n + group g -\n + alias a ci g`, says: [filled] },
    { change: `complete\n ${named}\n group g -\n + group-alias a ldap ldap g`, says: [filled] },
    { change: '+ group g -\n + alias a ci g', says: [byName('group g')] },
  ],
  'entityAlias entity': [
    {
      change: `+ ${bobs}`,
      says: ['what alias bob of ci for entity bob had before', elsewhere('entity bob')],
    },
    {
      change: `complete\n policy t: kv/{{identity.entity.name}} read\n + entity bob -\n + ${bobs}`,
      says: ['what policy t allows, which entity bob fills in'],
    },
  ],
  'entityAlias customMetadata': [
    {
      change: '',
      unknown: [{ type: 'other', name: 'alias bob', field: 'customMetadata' }],
      says: ['customMetadata of alias bob'],
    },
  ],
  'identity id': [
    { change: 'group g -', remade: [{ type: 'group', name: 'g' }], says: [elsewhere('group g')] },
  ],
  'identity members': [
    { change: '- internal outer -\n + internal outer - entity:e', says: [elsewhere('group outer')] },
    { change: `complete\n ${named}\n entity e -\n + internal g - entity:e`, says: [filled] },
  ],
  'identity metadata': [
    {
      change: '~ group g - metadata: {team: a} → metadata: {team: b}',
      says: ['policies elsewhere that read the metadata of group g'],
    },
    {
      change: `complete policies\n ${reading}\n ~ group g - metadata: {team: a} → metadata: {team: b}`,
      says: [filled],
    },
  ],
  'others metadata': [
    {
      change: secretId,
      says: ['policies elsewhere that read the metadata of secret id s of role app of apps (approle)'],
    },
    {
      change: `complete\n policy t: kv/{{identity.entity.aliases.acc.metadata.team}} read\n ${secretId}`,
      says: [
        'what policy t allows, which the metadata of secret id s of role app of apps (approle) fills in',
      ],
    },
  ],
};
const guarded = 'guard en entity:e';
/** Changes in the graph, by rows that lead nowhere else. */
const inGraph: Record<string, string> = {
  'method config': `role r\n ~ method ci ${keys('a')} → ${keys('b')}`,
  'method tune': 'role r\n ~ method ci tune: {maxLeaseTtl: 60} → tune: {maxLeaseTtl: 3600}',
  'role bounds': '~ role r p boundClaims: {org: [a]} → boundClaims: null',
  'role ttl': '~ role r ttl: 60 → ttl: 3600',
  'role tokenLimits': `policy mk: auth/token/create update\n ~ role r mk tokenNumUses: 1 → tokenNumUses: null`,
  'role policies': '~ role r - → p',
  'role userClaim': '~ role r → userClaim: email',
  'role claimMappings': '~ role r → claimMappings: {team: team}',
  'otherRole bounds': '~ approle apps/app p token_bound_cidrs: [10.0.0.0/8] → token_bound_cidrs: null',
  'otherRole tokenLimits': `policy mk: auth/token/create update\n ~ approle app mk token_type: batch → token_type: null`,
  'otherRole policies': `~ ${appRole} → p`,
  'mount policies': '~ mount ldap ldap → token_policies: [p]',
  'tokenRole allowedPolicies': '~ token t q → p,q',
  'identity policies': '~ internal inner - → p',
  'guard targets': `${guarded}\n mount people userpass\n entity e -\n - entity-alias ann people e`,
  'entity disabled': 'entity e p\n - disabled entity e',
  'policy text': 'role r p\n - policy p: a read\n + policy p: a read,update',
};
const keyOf = ({ of, attribute }: { of: string; attribute: string }) => `${of} ${attribute}`;

test('every row of the table of influence has a world in which it matters', () => {
  expect([...Object.keys(worlds), ...Object.keys(inGraph)]).toEqual(influences.map(keyOf));
});

/** What rows of a kind have to decide where a field of it bears on something. */
const deciding: Record<string, string[]> = {
  access: ['who', 'groups', 'policies', 'abilities', 'rules', 'identity'],
  lifetime: ['lifetime'],
  identity: ['identity', 'templates'],
};
const kinds: Record<string, string[]> = { group: ['identity'], entity: ['identity', 'entity'] };

test.each(
  resources.flatMap(({ type, fields }) =>
    Object.entries(fields).flatMap(([name, { bearsOn }]) =>
      bearsOn === 'nothing' ? [] : [[`${type} ${name}`, type, bearsOn] as const],
    ),
  ),
)('a field that bears on something has a row of its kind: %s', (_, type, bearsOn) => {
  const rows = influences.filter(({ of }) => (kinds[type] ?? [type]).includes(of));
  const decides = rows.flatMap((row) => row.decides) as string[];
  expect(decides.some((one) => deciding[bearsOn]?.includes(one))).toBe(true);
});

const decided = ({ change: text, says: _, ...rest }: World) => decideAccess(change(text, rest), now);

test.each(
  Object.entries(worlds).flatMap(([row, all]) => all.map((world, at) => [`${row}, ${at}`, world] as const)),
)('a change by %s is said to lead elsewhere', (_, world) => {
  const { gains, unseen, uncertain } = decided(world);
  expect([...unseen, ...uncertain].map(reasonWords)).toEqual(expect.arrayContaining(world.says));
  expect(gains).not.toBe('none');
});

test.each(influences.filter(({ elsewhere }) => elsewhere !== undefined))(
  'without the row $of $attribute a world of it is not told',
  (row) => {
    const rows = influences as Influence[];
    const at = rows.indexOf(row);
    rows.splice(at, 1);
    try {
      const missed = (worlds[keyOf(row)] ?? []).some((world) => {
        const { unseen, uncertain } = decided(world);
        const said = [...unseen, ...uncertain].map(reasonWords);
        return world.says.some((words) => !said.includes(words));
      });
      expect(missed).toBe(true);
    } finally {
      rows.splice(at, 0, row);
    }
  },
);

test.each(Object.entries(inGraph))('a change by %s is a gain in the graph', (_, text) => {
  const known = text.includes('policy p') ? '' : 'policy p: a read';
  const { gains, life } = decideAccess(change(`${known}\n ${text}`), now);
  expect([gains, life]).not.toEqual(['none', 'same']);
});

test.each([
  ['entity.aliases.auth_jwt_1.custom_metadata.team', 'complete policies', true],
  ['entity.aliases.auth_jwt_1.metadata.team', 'complete policies', false],
  ['entity.metadata.team', 'complete policies', false],
  ['entity.metadata.team', '', true],
])(
  'custom metadata of an alias, where policies read %s, and "%s": may reach a token: %s',
  (read, known, reaches) => {
    const unknown = { type: 'other' as const, name: 'alias bob', field: 'customMetadata' };
    expect(mayReach(change(`policy t: kv/{{identity.${read}}} read\n ${known}`), unknown)).toBe(reaches);
  },
);

test.each([
  ['no policy reads a name', 'policy t: kv/a read\n + group g -\n + alias a ci g'],
  ['a policy reads another name', `${named.replace('.g.', '.h.')}\n + group g -\n + alias a ci g`],
  [
    'a policy reads ids alone, which the service draws',
    'policy t: kv/{{identity.groups.ids.x.name}} read\n + group g -\n + alias a ci g',
  ],
  ['no one is in it', `${named}\n + group g -`],
  ['another field is read', `policy t: kv/{{identity.entity.aliases.acc.metadata.env}} read\n ${secretId}`],
])('what a change makes fills nothing in where all policies are known: %s', (_, text) => {
  const { gains, unseen, uncertain } = decideAccess(change(`complete\n ${text}`), now);
  expect([unseen, uncertain]).toEqual([[], []]);
  expect(gains).toBe('none');
});

test('a group that is renamed fills in policies that read its new name', () => {
  const text = `complete\n ${named}\n method ci\n role r t groupsClaim: groups
    - group old -\n - alias a ci old\n + group g -\n + alias a ci g`;
  const { gains, uncertain } = decideAccess(change(text), now);
  expect([gains, uncertain.map(reasonWords)]).toEqual(['unknown', [filled]]);
});

import { expect, test } from '@jest/globals';
import { Promises } from '../../../src/access/questions/promise.ts';
import { groupsOf, reachOf } from '../../../src/access/questions/reach.ts';
import { Reach } from '../../../src/access/questions/who-can.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import { whomWords } from '../../../src/words/condition-words.ts';
import { graphOf, method, policy, role } from '../../review/graphs.ts';
import { graph } from '../../worlds.ts';

const prod = 'secret/data/prod/*';
/**
 * Everything that may give a policy: roles, groups with aliases and without, entities, other nodes. The roles of `staff`
 * are not here; those of `jobs` read no groups; no one gets in by `shut`.
 */
const house = graph(`
  method ci jwksUrl: https://ci.example.com/keys
  method staff oidcDiscoveryUrl: https://id.example.com
  method jobs
  role backup backup boundSubject: backup
  role build build
  role staff build groupsClaim: groups, boundClaims: {/kubernetes.io/namespace: shop}
  role shut shut groupsClaim: groups, boundSubject: a, boundClaims: {sub: b}
  role jobs/far build,elsewhere
  group Admins admin
  group none -
  group ops ADMIN
  group lost admin
  alias a-1 ci admins
  alias n-1 ci none
  alias o-1 staff ops
  alias j-1 jobs ops
  policy admin: ${prod} create,update
  policy backup: path "${prod}" { capabilities = ["update"] required_parameters = ["why"] }
  policy build: secret/data/build/* read
  policy shut: secret/data/prod/shut deny
  entity bot Admin
  internal team admin entity:ann
  approle k8s/app admin token_no_default_policy: true
  approle k8s/poor - token_no_default_policy: true
  guard q type: quota lease count
  write sys/x - isOpaque: true
  entity-alias bot ci bot
  entity-alias bot k8s bot`);

const unseen = [{ kind: 'opaque', name: 'write to sys/x', asks: 'grants' }];
const reach = () => new Reach(house, 0n);

/** Who, by which roles, with which policies and limits, and the sign-in that shows it; a star for everywhere. */
const wordsOf = (capability: string, path: string) =>
  reach()
    .whoCan({ capability, path })
    .abilities.map((one) => {
      const { by, roles, can, everywhere, policies, limits, unread, signIn } = one;
      const from = [by.kind, by.name, by.method, by.alias].filter((text) => text !== undefined).join(' ');
      const lists = [roles, policies, limits, unread].map((list) => list.join('+') || '-').join(' ');
      const shown = signIn === undefined ? '' : ` ${signIn.role} ${Object.keys(signIn.token.claims).join()}`;
      return `${can}${everywhere ? '*' : ''} ${from}: ${lists}${shown}`;
    });

const remaining = [
  'yes* group ops staff o-1: - admin - -',
  ...['lost', 'team'].map((name) => `yes* members ${name}: - admin - -`),
  ...['ann', 'bot'].map((name) => `yes* entity ${name}: - admin - -`),
  'yes* other role app of k8s (approle): - admin - -',
  'unknown role far jobs: - - - elsewhere far aud,sub',
];

test('who can are all whom a policy reaches, the certain ones first', () => {
  expect(wordsOf('update', prod)).toEqual([
    'yes role backup ci: - backup required_parameters - backup sub,aud',
    // An entity of both keeps the group when it signs in at the cluster.
    'yes* group admins ci a-1: backup+build+role app of k8s (approle)+role poor of k8s (approle)+shut+staff backup+admin required_parameters - staff aud,kubernetes.io,sub,groups',
    ...remaining,
  ]);
  expect(wordsOf('update', 'secret/data/prod/shut')[1]).toMatch(
    /^yes\* group admins ci a-1: .*role poor of k8s \(approle\)\+staff /,
  );
  expect(wordsOf('create', 'secret/data/prod/shut')).toEqual([
    'yes* group admins ci a-1: backup+build+role app of k8s (approle)+role poor of k8s (approle)+staff admin required_parameters - staff aud,kubernetes.io,sub,groups',
    ...remaining,
  ]);
});

test('who can tells the paths, and whom a role lets in in the words of its provider', () => {
  const [backup, admins] = reach().whoCan({ capability: 'update', path: prod }).abilities;
  expect([backup?.path, backup?.pattern]).toEqual(['secret/data/prod/shut', prod]);
  expect(backup?.signIn).not.toHaveProperty('whom');
  expect(admins?.signIn?.whom && whomWords(admins.signIn.whom)).toBe(
    'any service account of namespace shop, audience "secrets"',
  );
  expect(admins?.signIn).toMatchObject({
    token: {
      claims: { groups: 'a-1' },
      signedBy: { keys: { keysOf: 'https://ci.example.com/keys' } },
    },
  });
});

test('no one can only where everything is known', () => {
  const asked = { capability: 'list', path: 'secret/data/prod' };
  expect(reach().whoCan(asked)).toMatchObject({ question: asked, answer: 'unknown', missing: unseen });
  expect(wordsOf('list', 'secret/data/prod')).toEqual(remaining.slice(-1));
  const known = {
    ...house,
    roles: house.roles.slice(0, 4),
    others: house.others?.slice(0, 3) ?? [],
  };
  const answer = (given: Graph, capability: string) => new Reach(given, 0n).whoCan({ ...asked, capability });
  expect(answer(known, 'list')).toMatchObject({ answer: 'no', abilities: [], missing: [] });
  expect(answer({ ...known, others: house.others?.slice(0, 4) ?? [] }, 'list').answer).toBe('unknown');
});

test('who can names what cannot be read, unless this very path is denied', () => {
  const policies = [policy('none', ['a/b', 'deny'], ['a/*', 'deny'])];
  const given = graphOf({ roles: [role('r', { policies: ['none', 'elsewhere'] })], policies });
  const can = (capability: string, path: string) =>
    new Reach(given, 0n).whoCan({ capability, path }).abilities.map((one) => one.can);
  expect([can('read', 'a/b'), can('read', 'a/c')]).toEqual([[], ['unknown']]);
});

test('who can is not who is denied, and is who has root', () => {
  const policies = [policy('both', ['a', 'deny', 'read'])];
  const roles = [role('denied', { policies: ['both'] }), role('owner', { policies: ['both', 'root'] })];
  const { abilities } = new Reach(graphOf({ roles, policies }), 0n).whoCan({ capability: 'read', path: 'a' });
  expect(abilities.map(({ by, policies: given, pattern }) => [by.name, given, pattern])).toEqual([
    ['owner', ['root'], '*'],
  ]);
});

test('a role reaches what it gives and what its groups add, pattern by pattern', () => {
  const [, , staff, , far] = house.roles;
  if (staff === undefined || far === undefined) throw new Error();
  const reached = reachOf(house, staff, ['ADMINS', 'elsewhere'], 0n);
  expect(reached).toMatchObject({
    role: { method: 'ci', name: 'staff' },
    groups: ['ADMINS', 'elsewhere'],
    policies: ['admin', 'build'],
    unread: [],
    missing: [],
  });
  expect(reached.rows).toEqual(
    [
      ['secret/data/build/*', 'secret/data/build/x', ['read'], 'build'],
      [prod, 'secret/data/prod/x', ['create', 'update'], 'admin'],
    ].map(([pattern, path, capabilities, by]) => ({
      pattern,
      path,
      capabilities,
      policies: [by],
      limits: [],
      from: Object.fromEntries([capabilities].flat().map((capability) => [capability, [by]])),
    })),
  );
  expect(reachOf(house, far, [], 0n)).toMatchObject({ unread: ['elsewhere'], missing: [] });
  expect(groupsOf(house, 'CI')).toEqual([
    { group: 'admins', alias: 'a-1', policies: ['admin'] },
    { group: 'none', alias: 'n-1', policies: [] },
  ]);
  expect(groupsOf(house, 'jobs')).toEqual([{ group: 'ops', alias: 'j-1', policies: [] }]);
});

test('where there is too much to compare, no one can everywhere', () => {
  const templates = Array.from({ length: 30 }, (_, at): [string, string] => [`a/{{t${at}}}`, 'read']);
  const words = Array.from({ length: 12 }, (_, at): [string, string] => [`a/w${at}`, 'read']);
  const given = graphOf({
    roles: [role('r', { policies: ['p'] })],
    policies: [policy('p', ['*', 'read'], ...templates, ...words)],
  });
  const { answer, abilities, missing } = new Reach(given, 0n).whoCan({ capability: 'read', path: 'a/+' });
  expect({ answer, missing, everywhere: abilities[0]?.everywhere }).toEqual({
    answer: 'yes',
    missing: [{ kind: 'budget', of: 'fillings', isOfAll: true }],
    everywhere: false,
  });
});

test('of roles with the same policy, each has its own that cannot be read', () => {
  const given = graphOf({
    methods: [method('ci')],
    roles: ['x', 'y'].map((name) => role(name, { policies: ['admin', name] })),
    policies: [policy('admin', [prod, 'update'])],
  });
  const { abilities } = new Reach(given, 0n).whoCan({ capability: 'update', path: prod });
  expect(abilities.map(({ by, unread }) => [by.name, unread])).toEqual([
    ['x', ['x']],
    ['y', ['y']],
  ]);
});

test('tokens of an entity that were issued are shown where they can more than the entity', () => {
  const given = graph(`
    policy own: own/* read
    policy issued: issued/* read
    entity ann own
    internal team - entity:ann
    issued issued ann
    complete`);
  const can = (path: string) =>
    new Reach(given, 0n).whoCan({ capability: 'read', path }).abilities.map(({ by }) => by.name);
  expect(can('issued/x')).toEqual(['tokens with issued of entity ann']);
  expect(can('own/x')).toEqual(['ann']);
  const only = (group: string, on: string) =>
    new Promises(given, 0n).decide({ only: [`group ${group}`], can: ['read'], on, because: 'so' }).answer;
  expect([only('team', 'issued/x'), only('others', 'issued/x')]).toEqual(['kept', 'broken']);
});

import { expect, test } from '@jest/globals';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { everyPath, randomPolicies } from '../../../../../test/harness/random-policies.ts';
import { Promises } from '../../../src/access/questions/promise.ts';
import type { Reason } from '../../../src/access/reasons/reason.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import type { Promised } from '../../../src/graph/promise-settings.ts';
import { promisedWords } from '../../../src/words/giver-words.ts';
import { reasonWords } from '../../../src/words/reason-words.ts';
import { policy, role } from '../../review/graphs.ts';
import { graph } from '../../worlds.ts';
import { aclOf, houseOf } from '../asked-paths.ts';

/** Two methods with roles, one without; the group admins of ci and far, and ops of ci; what is not by an auth method. */
const house = graph(`
  method ci jwksUrl: https://ci.example/keys
  method far jwksUrl: https://far.example/keys
  method lone jwksUrl: https://lone.example/keys
  role build build
  role staff build groupsClaim: groups
  role far/staff build groupsClaim: teams
  role far/root root
  group Admins admin
  group ops ops
  group solo admin
  alias a-1 ci admins
  alias a-2 far ADMINS
  alias o-1 ci ops
  alias l-1 lone ops
  policy admin: a read,update
  policy ops: b list,patch,read
  policy build: c/* read; c/x deny
  policy limited: path "d" { capabilities = ["read", "delete"] max_wrapping_ttl = 5 }
  internal outer limited group:inner
  internal inner - group:Admins group:ops
  internal empty ops
  internal mixed ops group:admins entity:ann
  made-token app admin,elsewhere`);
const internal = (text: string): Partial<Graph> => ({ identities: graph(text).identities ?? [] });

const only = (part: Partial<Graph>): Graph => ({ ...house, ...part });
const bare = only({ others: [], identities: [] });
const root = { others: [], identities: [], roles: house.roles.slice(0, 3) };

/** `broken: who, what, by which policies and sign-in`, `unknown: what is missing`, or `kept`. */
function answerOf(given: Graph, text: string, unseen: Reason[] = []): string {
  const [, kind = '', whom = '', can = '', asked = ''] = /^(\w+) (.*) can (.*) on (\S+)$/.exec(text) ?? [];
  const promise = { [kind]: whom.split(', '), can: can.split(', '), on: asked, because: 'so' } as Promised;
  const found = new Promises(given, 0n, unseen).decide(promise);
  if (found.answer !== 'broken')
    return found.answer === 'kept' ? 'kept' : `unknown: ${reasonWords(found.missing)}`;
  const { capability, path, pattern = '-', policies = [], signIn } = found.witness;
  const by = signIn === undefined ? '-' : `${signIn.role} ${Object.keys(signIn.token.claims).join()}`;
  return `broken: ${promisedWords(found.witness.who)}; ${capability} ${path} by ${pattern} ${policies.join()}; ${by}`;
}

const text = '(its text is missing or unreadable)';
const [ciAdmins, farAdmins, ciOps] = [
  'admins (alias ci/a-1)',
  'ADMINS (alias far/a-2)',
  'ops (alias ci/o-1)',
];
const noRoot = only(root);

const { identities = [] } = house;
const identitiesNamed = (wanted: string) => identities.filter(({ name }) => name === wanted);
const alsoIn = (group: string, can: string) =>
  `whether they are also members of group ${group}, who can ${can}`;

test.each<[given: Graph, answers: Record<string, string>]>([
  [
    bare,
    {
      'only role root, group admins can read on a':
        'unknown: whether they are also members of group solo, who can read "a"',
      'only group admins can read on a': 'broken: role far/root; read a by * root; -',
      'always group admins can read, update on a': 'kept',
      'always group admins, role build can read on a': 'broken: role build; read a by - ; build aud,sub',
      'always role build can read on c/*': 'broken: role build; read c/x by - ; build aud,sub',
      'always someone can read on c/y': 'kept',
      'always role root can read on a': 'broken: role root; read a by - ; -',
      'always group none can read on a': 'broken: group none; read a by - ; -',
      'always group solo can read on a': 'broken: group solo; read a by - ; -',
    },
  ],
  [
    noRoot,
    {
      'only group ops can update on a': `broken: role ci/build, in group ${ciAdmins}; update a by a admin; staff aud,sub,groups`,
      'only group admins can read on b': `broken: role ci/build, in group ${ciOps}; read b by b ops; staff aud,sub,groups`,
      'only group ops can update on b': 'kept',
      'only role ci/build, role staff can read on c/y': 'kept',
      'only role ci/build can read on c/y':
        'broken: role ci/staff; read c/y by c/* build; staff aud,sub,groups',
      'only role far/build, role ci/staff/ can read on c/y':
        'broken: role ci/build; read c/y by c/* build; build aud,sub',
      'only role staff can read on c/x': 'kept',
      'only role build can update on b': `broken: role ci/staff, in group ${ciOps}; patch b by b ops; staff aud,sub,groups`,
      'only role build can list on b': `broken: role ci/staff, in group ${ciOps}; list b/ by b ops; staff aud,sub,groups`,
      'only role build can list on a': 'kept',
      'never group admins can read on b': `broken: role ci/build, in group ${ciAdmins}, in group ${ciOps}; read b by b ops; staff aud,sub,groups`,
      'never group admins can delete on a': 'kept',
      'never role far/staff can update on a': `broken: role far/staff, in group ${farAdmins}; update a by a admin; staff aud,sub,teams`,
      'never anyone can delete on a': 'kept',
    },
  ],
  [
    only({ ...root, aliases: house.aliases.slice(3) }),
    {
      'only group admins can read on b': 'broken: group ops (alias lone/l-1); read b by b ops; -',
      'never group ops can read on b': 'broken: group ops (alias lone/l-1); read b by b ops; -',
      'always group ops can read on b': 'unknown: a sign-in that lets group ops in',
    },
  ],
  [
    only({ ...root, identities: identities.slice(0, 2) }),
    {
      'only group admins, group ops can delete on d': 'kept',
      'only group admins can delete on d': `broken: role ci/build, in group ${ciOps}; delete d by d limited; staff aud,sub,groups`,
    },
  ],
  [
    only({ ...root, aliases: [], identities: identities.slice(0, 2) }),
    {
      'never group outer can delete on d': 'broken: members of group outer; delete d by d limited; -',
      'never group solo can delete on d': `unknown: ${alsoIn('outer', 'delete "d"')}`,
    },
  ],
  [
    only({ ...root, aliases: [] }),
    {
      'only group ops can update on a': `unknown: ${alsoIn('Admins', 'update "a"')}`,
      'never anyone can read on a': `unknown: ${alsoIn('Admins', 'read "a"')}`,
    },
  ],
])('promises of a house, %#', (given, answers) => {
  const asked = Object.keys(answers).map((text) => [text, answerOf(given, text)]);
  expect(Object.fromEntries(asked)).toEqual(answers);
});

const { others = [] } = house;
const nobody = { roles: [], aliases: [], identities: [] };
test.each<[promised: string, answer: string, part: Partial<Graph>]>([
  ...['empty', 'mixed'].map((name): [string, string, Partial<Graph>] => [
    'only group admins can read on b',
    `broken: members of group ${name}; read b by b ops; -`,
    { ...root, groups: [], aliases: [], identities: identitiesNamed(name) },
  ]),
  ...['empty', 'mixed'].map((name): [string, string, Partial<Graph>] => [
    'never role build can read on b',
    `unknown: ${alsoIn(name, 'read "b"')}`,
    { ...root, aliases: [], identities: identitiesNamed(name) },
  ]),
  [
    'only group admins can delete on a',
    `unknown: what policy elsewhere of token "app" allows ${text}`,
    { ...root, others },
  ],
  ['never role build can read on a', 'kept', { ...root, aliases: [], groups: [], others }],
  [
    'always role one can read on d',
    'unknown: whether role one can meet the limits of "d": wrapping',
    { ...root, roles: [role('one', { policies: ['limited'] })] },
  ],
  [
    'always role one can read on d',
    `unknown: what policy elsewhere of role one allows ${text}`,
    { ...root, roles: [role('one', { policies: ['elsewhere'] })] },
  ],
  ['always someone can delete on a', `unknown: what policy elsewhere of someone allows ${text}`, nobody],
  [
    'always someone can read on a',
    `unknown: what policy elsewhere of someone allows ${text}`,
    { ...nobody, groups: [] },
  ],
  [
    'always someone can read on b',
    'unknown: a sign-in that lets someone in',
    { roles: [], aliases: [], others: [] },
  ],
  [
    'always someone can read on a',
    'kept',
    { ...nobody, groups: [], others: graph('made-token app admin').others ?? [] },
  ],
])('%s: %s', (promised, answer, part) => {
  expect(answerOf(only(part), promised)).toBe(answer);
});

test('of internal groups with the same policies, the one that is named is broken', () => {
  const same = internal('internal outer limited group:inner\n internal inner limited');
  expect(answerOf(only({ ...root, aliases: [], ...same }), 'never group inner can delete on d')).toMatch(
    /^broken: members of group inner/,
  );
});

test('an internal group is its external groups', () => {
  const outer = (group: string) => only({ ...root, ...internal(`internal outer limited group:${group}`) });
  expect(answerOf(outer('ADMINS'), 'only group admins can delete on d')).toBe('kept');
  expect(answerOf(outer('ops'), 'only group admins can delete on d')).toMatch(/^broken: .*in group ops/);
});

test('what was not read leaves open who may, and not who can', () => {
  const unseen: Reason[] = [{ kind: 'not-read', what: 'what auth/app gives' }];
  expect(answerOf(noRoot, 'only group ops can delete on a', unseen)).toBe('unknown: what auth/app gives');
  expect(answerOf(bare, 'always group admins can read on a', unseen)).toBe('kept');
});

/** The house, where the policy of its roles has other rules. */
const ruled = (...rules: Parameters<typeof policy>[1][]) =>
  only({ ...root, policies: [...house.policies.slice(0, 2), policy('build', ...rules)] });
const prod = 'secret/data/prod/*';

type Rules = Parameters<typeof policy>[1][];

test.each<[can: string, path: string, rules: Rules]>([
  ...['secret/data/prod/*', 'secret/+/prod/*', '+/+/+/+', '*', 'secret/data/pr*'].map(
    (by): [string, string, Rules] => ['update', 'secret/data/prod/x', [[by, 'update', 'sudo']]],
  ),
  ['update', 'secret/data/prod/db', [['secret/data/prod/db', 'update']]],
  ['update', 'secret/data/prod/x', [['secret/data/{{identity.entity.name}}/*', 'update']]],
  ['update', 'secret/data/prod/x', [['secret/data/{{identity.groups.names.g.id}}/*', 'update']]],
  ['update', 'secret/data/prod/x', [['secret/data/{{identity.groups.ids.i.name}}/*', 'update']]],
  ['update', 'secret/data/prod/x', [['secret/data/{{identity.groups.names.g.metadata.k}}/*', 'update']]],
  [
    'update',
    'secret/data/prod/x',
    [['secret/data/{{identity.entity.aliases.a.custom_metadata.k}}/*', 'update']],
  ],
  ['update', 'secret/data/prod/{{name}}', [['secret/data/prod/{{name}}', 'update']]],
  [
    'update',
    'secret/data/prod/x/x',
    [
      ['secret/*', 'update'],
      [prod, 'deny'],
      ['secret/data/prod/+/x', 'update'],
    ],
  ],
  ['list', 'secret/data/prod/', [['secret/data/prod/', 'list']]],
  ['list', 'secret/data/prod/x/', [['secret/data/prod/x/', 'list']]],
])('that only admins %s on prod is broken at %s by %j', (can, path, rules) => {
  expect(answerOf(ruled(...rules), `only group admins can ${can} on ${prod}`)).toBe(
    `broken: role ci/build; ${can} ${path} by ${rules.at(-1)?.[0]} build; build aud,sub`,
  );
});

test('that only admins update on prod is kept beside it, and where it is denied', () => {
  const kept = (...rules: Rules) => answerOf(ruled(...rules), `only group admins can update on ${prod}`);
  const rules: Rules = [
    ['secret/data/produce/*', 'update'],
    ['secret/+/+', 'update'],
  ];
  expect(kept(...rules, [prod, 'read', 'list', 'sudo'])).toBe('kept');
  expect(kept(['secret/*', 'update'], [prod, 'deny'])).toBe('kept');
});

test('a policy that expired breaks no promise, and one that cannot be read leaves it open', () => {
  const text = 'path "e" { capabilities = ["update"]\n expiration = "1970-01-01T00:00:01Z" }';
  const asked: Promised = { only: ['group admins'], can: ['update'], on: 'e', because: 'so' };
  const at = (now: bigint, build: string) => {
    const policies = [...house.policies.slice(0, 2), { name: 'build', text: build }];
    return new Promises(only({ ...root, policies }), now).decide(asked).answer;
  };
  expect([at(0n, text), at(2_000_000_000n, text), at(0n, 'path {')]).toEqual(['broken', 'kept', 'unknown']);
});

const rounds = Number(process.env['ROUNDS'] ?? (isIn('npm test') ? 60 : 300));
const seed = Number(process.env['SEED'] ?? 20_261_121);

test(`holds or not as asking every path for every token does, seed ${seed}`, () => {
  const wrong: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    const texts = randomPolicies(seed + round, 4, 3);
    const given = houseOf(texts);
    const pattern = ['a/*', 'a', '+/a', 'ab*', '*', 'a/+/a'][round % 6] as string;
    const capability = (['read', 'update', 'list'] as const)[round % 3] as 'read';
    const paths = everyPath.filter((path) => {
      const isAsked = aclOf([[{ path: pattern, capabilities: [capability] }]]).allows({ path, capability });
      return isAsked && !(round % 3 === 2 && path.endsWith('/'));
    });
    const can = (at: number[]) => {
      const acl = aclOf([0, ...at].map((one) => texts[one] ?? []));
      return paths.filter((path) => acl.allows({ path, capability })).length;
    };
    const without = [[], [2], [3], [2, 3]];
    const withOne = [[1], [1, 2], [1, 3], [1, 2, 3]];
    const truth = {
      only: without.every((set) => can(set) === 0),
      never: withOne.every((set) => can(set) === 0),
      always: can([1]) === paths.length,
    };
    const answers = Object.fromEntries(
      (['only', 'never', 'always'] as const).map((kind) => [
        kind,
        answerOf(given, `${kind} group g1 can ${capability} on ${pattern}`) === 'kept',
      ]),
    );
    if (JSON.stringify(answers) !== JSON.stringify(truth))
      wrong.push({ round, on: pattern, capability, texts, answers, truth });
  }
  expect(wrong.slice(0, 1)).toEqual([]);
});

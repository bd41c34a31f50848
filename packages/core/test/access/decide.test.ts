import { describe, expect, test } from '@jest/globals';
import { decide, type Tokens } from '../../src/access/decide.ts';
import type { Grant } from '../../src/access/grants.ts';
import type { PolicySides } from '../../src/access/policy-sides.ts';
import { RuleBook } from '../../src/access/rule-book.ts';
import type { PathRule } from '../../src/graph/policies/parse-policy.ts';
import { reasonWords } from '../../src/words/reason-words.ts';

const rule = (path: string, ...capabilities: string[]): PathRule => ({ path, capabilities });
interface NamedGrant extends Grant {
  by: string;
}
const holds = (by: string, before: string[], after = before): NamedGrant => ({ by, before, after });
/** Of policies that stay: rules, or nothing where they cannot be read. */
const same = (...rules: PathRule[]): PolicySides => ({ before: rules, after: rules, isSame: true });
const unread: PolicySides = { before: undefined, after: undefined, isSame: true };
const become = (before: PathRule[], after: PathRule[]): PolicySides => ({ before, after, isSame: false });

const policies = {
  none: same(rule('a/*', 'deny')),
  read: same(rule('a/*', 'read')),
  write: same(rule('a/*', 'read', 'update', 'list')),
  word: same(rule('a/b', 'read')),
  grows: become([rule('a/*', 'read')], [rule('a/*', 'read', 'update')]),
  opens: become([rule('a/*', 'deny')], []),
  comes: { before: [], after: [rule('c', 'update')], isSame: false },
  unread,
  hidden: unread,
  bare: same(rule('a/*')),
  lists2: same(rule('a/*', 'list')),
  frees: become(
    [{ ...rule('a/*', 'update', 'create'), requiredParameters: ['x'] }],
    [rule('a/*', 'update', 'create')],
  ),
  lists: become([rule('a/*', 'list')], [rule('a/*', 'list'), rule('a/', 'list', 'update')]),
  ends: same({ ...rule('a/b', 'deny'), expires: 5n }, rule('a/*', 'read')),
  limits: same({ ...rule('a/*', 'update'), requiredParameters: ['x'] }),
  limits2: same({ ...rule('a/*', 'update'), deniedParameters: { y: [] } }),
  named: become([rule('a/{{identity.entity.name}}', 'deny'), rule('a/b', 'read')], [rule('a/b', 'read')]),
  grouped: become(
    [rule('a/{{identity.groups.names.g.metadata.k}}', 'deny'), rule('a/b', 'read')],
    [rule('a/b', 'read')],
  ),
  started: become(
    [rule('a/prod*', 'read'), rule('a/{{identity.entity.metadata.k}}*', 'update')],
    [rule('a/{{identity.entity.metadata.k}}*', 'update')],
  ),
  below: become([rule('a/{{identity.entity.metadata.k}}', 'deny'), rule('a', 'list')], [rule('a', 'list')]),
  begins: become([{ ...rule('a/b', 'read'), expires: 9n }], [{ ...rule('a/b', 'read'), expires: 7n }]),
};
type Name = keyof typeof policies;

/** `gained by role+group update on a/* at a/x`; an end with the instant, the limit, or what is probed. */
function wordsOf(tokens: Tokens<NamedGrant>[], probes: string[] = []): string[] {
  const { changes, undecided } = decide(tokens, new RuleBook(new Map(Object.entries(policies)), 0n), probes);
  return [
    ...changes.map(({ direction, by, together, capabilities, pattern, path, from, limit, limited, probed }) =>
      [
        `${direction} by ${[by, ...together].map((one) => one.by).join('+')} ${capabilities.join()} on ${pattern} at ${path}`,
        ...(from === undefined ? [] : [`from ${from}`]),
        ...(limit === undefined ? [] : [`${limit} of ${limited?.join()}`]),
        ...probed.map((one) => `probed ${one}`),
      ].join('; '),
    ),
    ...undecided.map(
      ({ direction, by, missing }) => `${direction}? by ${by?.by ?? 'all'}: ${reasonWords(missing)}`,
    ),
  ];
}

const stays = (by: string, ...names: Name[]) => holds(by, names);

/** `r read; g read → write`: policies of roles (r, s) and of groups (others), and paths that are probed. */
function decided(text: string): string[] {
  const given = text.split('; ').map((one) => one.split(' '));
  const grants = given
    .filter(([by]) => by !== 'probes')
    .map(([by = '', before = '-', _, after = before]) => {
      const [had, has] = [before, after].map((names) => (names === '-' ? [] : names.split(',')));
      return { by, before: had ?? [], after: has ?? [] };
    });
  const [roles, groups] = [true, false].map((wanted) =>
    grants.filter(({ by }) => /[rs]/.test(by) === wanted),
  );
  const probes = given.find(([by]) => by === 'probes')?.[1]?.split(',');
  return wordsOf([{ roles: roles ?? [], groups: groups ?? [] }], probes);
}

describe('what is gained and lost', () => {
  const cases: Record<string, [given: string, ...wanted: string[]]> = {
    'nothing changes': ['r read; g write'],
    'a policy grows': ['r grows', 'gained by r update on a/* at a/x'],
    'of two roles': [
      'r grows; s grows',
      'gained by r update on a/* at a/x',
      'gained by s update on a/* at a/x',
    ],
    'a role gets another policy': ['r write → read', 'lost by r update,list on a/* at a/x'],
    'a role begins': ['r - → read', 'gained by r read on a/* at a/x'],
    'a role ends': ['r read → -', 'lost by r read on a/* at a/x'],
    'a group grows, with a silent role': [
      'r word; s; g grows; h grows',
      'gained by g+s update on a/* at a/b',
      'gained by h+s update on a/* at a/b',
    ],
    'a group grows, and the role denies': ['r none; g grows'],
    'two groups grow, of which one has more': [
      'r; g grows; h grows,comes',
      'gained by h+r update on c at c',
      'gained by g+r update on a/* at a/x',
      'gained by h+r update on a/* at a/x',
    ],
    'a group grows, which is alone': ['g grows', 'gained by g update on a/* at a/x'],
    'a denial of the role goes': ['r opens; g read', 'gained by g+r read on a/* at a/x'],
    'a denial of a group goes, that another gives': [
      'r; g opens; h read; i read',
      'gained by g+r+h read on a/* at a/x',
    ],
    'a denial of a group goes, that the role gives': ['r read; g opens', 'gained by g+r read on a/* at a/x'],
    'a limit goes': ['r frees', 'gained by r  on a/* at a/x; required_parameters of update,create'],
    'a limit goes, and it is administration': [
      'r frees; probes a/+,b/+,a/b',
      'gained by r  on a/* at a/b; required_parameters of update,create; probed a/b; probed a/+',
    ],
    'an administration comes': [
      'r comes; s read → write; probes a/+,c',
      'gained by r update on c at c; probed c',
      'gained by s update,list on a/* at a/x; probed a/+',
    ],
    'a rule for a folder': ['r lists', 'gained by r update on a/ at a/'],
    'a prefix goes, which came before a template that is filled in with less of it': [
      'r started',
      // Where nothing decides afterwards, and where one or the other does.
      'lost by r read on a/prod* at a/prod',
      'lost by r read on a/prod* at a/prod',
      'gained by r update on a/prod* at a/prod',
      'lost by r read on a/prod* at a/prod',
    ],
    'a list of a folder, which a template that is filled in with nothing denied': [
      'r below',
      'gained by r list on a/ at a/',
    ],
    'a template denied what another pattern grants': ['r named', 'gained by r read on a/b at a/b'],
    'a template of a group denied what another pattern grants': [
      'r grouped',
      'gained by r read on a/b at a/b',
    ],
    'a denial expires': ['r grows,ends', 'gained by r update on a/* at a/x'],
    'a rule expires sooner': ['r begins', 'lost by r read on a/b at a/b; from 7'],
  };
  test.each(Object.entries(cases))('where %s', (_, [given, ...wanted]) => {
    expect(decided(given)).toEqual(wanted);
  });
});

test('of a change of a capability there is no limit, and of one at once no instant', () => {
  const book = new RuleBook(new Map(Object.entries(policies)), 0n);
  const decider = { pattern: 'a/*', rule: expect.objectContaining({ path: 'a/*' }) };
  expect(decide([{ roles: [stays('r', 'grows')], groups: [] }], book).changes).toStrictEqual([
    {
      direction: 'gained',
      by: stays('r', 'grows'),
      together: [],
      pattern: 'a/*',
      path: 'a/x',
      capabilities: ['update'],
      probed: [],
      decides: { before: decider, after: decider },
    },
  ]);
});

test.each([
  ['limits', 'grows', ['gained by r update on a/* at a/x']],
  ['lists2', 'grows', ['gained by r update on a/* at a/x']],
  ['limits2', 'grows', expect.arrayContaining([expect.stringContaining('more than two groups')])],
] as const)(
  'three groups on one pattern, of which one or two limit fields: %s',
  (limiting, growing, wanted) => {
    const third = limiting === 'limits' ? 'bare' : limiting;
    const groups = [stays('g', 'limits'), stays('h', 'bare'), stays('i', third)];
    expect(wordsOf([{ roles: [stays('r', growing)], groups }])).toEqual(wanted);
  },
);

describe('what a policy that cannot be read leaves open', () => {
  const cases: Record<string, [given: string, ...wanted: string[]]> = {
    stays: ['r unread'],
    'stays with another that grows': ['r read,unread; s grows', 'gained by s update on a/* at a/x'],
    'stays in the same role': ['r grows,unread', 'gained by r update on a/* at a/x'],
    'stays in a group': ['r opens; g unread', 'gained? by r: unread'],
    'stays in two groups': [
      'r opens; g unread; h bare,hidden',
      'gained? by r: unread',
      'gained? by h: hidden',
    ],
    'comes with a role': ['r - → unread', 'gained? by r: unread'],
    'goes with a role': ['r unread → -', 'lost? by r: unread'],
    'comes to a role': ['r read → read,unread', 'gained? by r: unread', 'lost? by r: unread'],
    'comes by a group': ['r read; g - → unread', 'gained? by g: unread', 'lost? by g: unread'],
    'comes by a group of new roles': [
      'r - → read; g - → unread',
      'gained by r read on a/* at a/x',
      'gained? by g: unread',
    ],
    'goes by a group': ['r read; g unread → -', 'gained? by g: unread', 'lost? by g: unread'],
  };
  test.each(Object.entries(cases))('that %s', (_, [given, ...wanted]) => {
    const why = (policy: string) => `what policy ${policy} allows (its text is missing or unreadable)`;
    expect(decided(given)).toEqual(wanted.map((one) => one.replace(/(?<=\?.*: )\w+$/, why)));
  });
});

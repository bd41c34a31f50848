import { describe, expect, test } from '@jest/globals';
import { decide, type Tokens } from '../../src/access/decide.ts';
import type { Grant } from '../../src/access/grants.ts';
import type { PolicySides } from '../../src/access/policy-sides.ts';
import { RuleBook } from '../../src/access/rule-book.ts';
import type { PathRule } from '../../src/graph/policies/parse-policy.ts';

const rule = (path: string, ...capabilities: string[]): PathRule => ({ path, capabilities });
const holds = (by: string, before: string[], after = before): Grant => ({ by, before, after });
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
function wordsOf(tokens: Tokens[], probes: string[] = []): string[] {
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
    ...undecided.map(({ direction, by, missing }) => `${direction}? by ${by?.by ?? 'all'}: ${missing}`),
  ];
}

const [r, s] = ['r', 's'];
const stays = (by: string, ...names: Name[]) => holds(by, names);
const moves = (by: string, before: Name[], after: Name[]) => holds(by, before, after);
const undecided = (direction: string, by: string, policy = 'unread') =>
  `${direction}? by ${by}: what policy "${policy}" allows (its text is missing or unreadable)`;

describe('what is gained and lost', () => {
  const cases: Record<string, [roles: Grant[], groups: Grant[], wanted: string[], probes?: string[]]> = {
    'nothing changes': [[stays(r, 'read')], [stays('g', 'write')], []],
    'a policy grows': [[stays(r, 'grows')], [], ['gained by r update on a/* at a/x']],
    'of two roles': [
      [stays(r, 'grows'), stays(s, 'grows')],
      [],
      ['gained by r update on a/* at a/x', 'gained by s update on a/* at a/x'],
    ],
    'a role gets another policy': [
      [moves(r, ['write'], ['read'])],
      [],
      ['lost by r update,list on a/* at a/x'],
    ],
    'a role begins': [[moves(r, [], ['read'])], [], ['gained by r read on a/* at a/x']],
    'a role ends': [[moves(r, ['read'], [])], [], ['lost by r read on a/* at a/x']],
    'a group grows, with a silent role': [
      [stays(r, 'word'), stays(s)],
      [stays('g', 'grows'), stays('h', 'grows')],
      ['gained by g+s update on a/* at a/b', 'gained by h+s update on a/* at a/b'],
    ],
    'a group grows, and the role denies': [[stays(r, 'none')], [stays('g', 'grows')], []],
    'two groups grow, of which one has more': [
      [stays(r)],
      [stays('g', 'grows'), stays('h', 'grows', 'comes')],
      [
        'gained by h+r update on c at c',
        'gained by g+r update on a/* at a/x',
        'gained by h+r update on a/* at a/x',
      ],
    ],
    'a group grows, which is alone': [[], [stays('g', 'grows')], ['gained by g update on a/* at a/x']],
    'a denial of the role goes': [
      [stays(r, 'opens')],
      [stays('g', 'read')],
      ['gained by g+r read on a/* at a/x'],
    ],
    'a denial of a group goes, that another gives': [
      [stays(r)],
      [stays('g', 'opens'), stays('h', 'read'), stays('i', 'read')],
      ['gained by g+r+h read on a/* at a/x'],
    ],
    'a denial of a group goes, that the role gives': [
      [stays(r, 'read')],
      [stays('g', 'opens')],
      ['gained by g+r read on a/* at a/x'],
    ],
    'a limit goes': [
      [stays(r, 'frees')],
      [],
      ['gained by r  on a/* at a/x; required_parameters of update,create'],
    ],
    'a limit goes, and it is administration': [
      [stays(r, 'frees')],
      [],
      ['gained by r  on a/* at a/b; required_parameters of update,create; probed a/b; probed a/+'],
      ['a/+', 'b/+', 'a/b'],
    ],
    'an administration comes': [
      [stays(r, 'comes'), moves(s, ['read'], ['write'])],
      [],
      ['gained by r update on c at c; probed c', 'gained by s update,list on a/* at a/x; probed a/+'],
      ['a/+', 'c'],
    ],
    'a rule for a folder': [[stays(r, 'lists')], [], ['gained by r update on a/ at a/']],
    'a prefix goes, which came before a template that is filled in with less of it': [
      [stays(r, 'started')],
      [],
      ['lost by r read on a/prod* at a/prod', 'gained by r update on a/prod* at a/prod'],
    ],
    'a list of a folder, which a template that is filled in with nothing denied': [
      [stays(r, 'below')],
      [],
      ['gained by r list on a/ at a/'],
    ],
    'a template denied what another pattern grants': [
      [stays(r, 'named')],
      [],
      ['gained by r read on a/b at a/b'],
    ],
    'a template of a group denied what another pattern grants': [
      [stays(r, 'grouped')],
      [],
      ['gained by r read on a/b at a/b'],
    ],
    'a denial expires': [[stays(r, 'grows', 'ends')], [], ['gained by r update on a/* at a/x']],
    'a rule expires sooner': [[stays(r, 'begins')], [], ['lost by r read on a/b at a/b; from 7']],
  };
  test.each(Object.entries(cases))('where %s', (_, [roles, groups, wanted, ...[probes]]) => {
    expect(wordsOf([{ roles, groups }], probes)).toEqual(wanted);
  });
});

test('of a change of a capability there is no limit, and of one at once no instant', () => {
  const book = new RuleBook(new Map(Object.entries(policies)), 0n);
  const decider = { pattern: 'a/*', rule: expect.objectContaining({ path: 'a/*' }) };
  expect(decide([{ roles: [stays(r, 'grows')], groups: [] }], book).changes).toStrictEqual([
    {
      ...{ direction: 'gained', by: stays(r, 'grows'), together: [], pattern: 'a/*', path: 'a/x' },
      ...{ capabilities: ['update'], probed: [], decides: { before: decider, after: decider } },
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
    expect(wordsOf([{ roles: [stays(r, growing)], groups }])).toEqual(wanted);
  },
);

describe('what a policy that cannot be read leaves open', () => {
  const cases: Record<string, [roles: Grant[], groups: Grant[], ...wanted: string[]]> = {
    stays: [[stays(r, 'unread')], []],
    'stays with another that grows': [
      [stays(r, 'read', 'unread'), stays(s, 'grows')],
      [],
      'gained by s update on a/* at a/x',
    ],
    'stays in the same role': [[stays(r, 'grows', 'unread')], [], 'gained by r update on a/* at a/x'],
    'stays in a group': [[stays(r, 'opens')], [stays('g', 'unread')], undecided('gained', 'r')],
    'stays in two groups': [
      [stays(r, 'opens')],
      [stays('g', 'unread'), stays('h', 'bare', 'hidden')],
      undecided('gained', 'r'),
      undecided('gained', 'h', 'hidden'),
    ],
    'comes with a role': [[moves(r, [], ['unread'])], [], undecided('gained', 'r')],
    'goes with a role': [[moves(r, ['unread'], [])], [], undecided('lost', 'r')],
    'comes to a role': [
      [moves(r, ['read'], ['read', 'unread'])],
      [],
      undecided('gained', 'r'),
      undecided('lost', 'r'),
    ],
    'comes by a group': [
      [stays(r, 'read')],
      [moves('g', [], ['unread'])],
      undecided('gained', 'g'),
      undecided('lost', 'g'),
    ],
    'comes by a group of new roles': [
      [moves(r, [], ['read'])],
      [moves('g', [], ['unread'])],
      'gained by r read on a/* at a/x',
      undecided('gained', 'g'),
    ],
    'goes by a group': [
      [stays(r, 'read')],
      [moves('g', ['unread'], [])],
      undecided('gained', 'g'),
      undecided('lost', 'g'),
    ],
  };
  test.each(Object.entries(cases))('that %s', (_, [roles, groups, ...wanted]) => {
    expect(wordsOf([{ roles, groups }])).toEqual(wanted);
  });
});

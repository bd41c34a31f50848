import { randomPolicies } from '../../../../../test/harness/random-policies.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { defined } from '../../../src/graph/values/loose-values.ts';
import { graphOf, method, role } from '../../review/graphs.ts';

type Next = (limit: number) => number;
type Claims = Record<string, unknown>;

/** Everybody there is. */
export const people: Claims[] = ['a', 'b'].flatMap((sub) =>
  [undefined, 'x', 'y'].flatMap((org) =>
    [undefined, [], ['g'], ['h'], ['g', 'h']].flatMap((groups) =>
      [undefined, ['g']].map((teams) => ({ sub, aud: ['secrets'], org, groups, teams })),
    ),
  ),
);
/** Paths that their policies may be about. */
export const paths = [
  'a',
  'ab',
  'a/a',
  'a/c',
  'c',
  'c/a',
  'a/a/a',
  'a/a/c',
  'c/c/c',
  'ab/a',
  'ac',
  'a/',
  'c/a/',
];

const pick = <Value>(next: Next, ...values: Value[]) => values[next(values.length)] as Value;

function roleOf(next: Next, name: string): Role {
  const bound = pick<Role['boundClaims']>(next, undefined, undefined, { org: 'x' }, { org: ['x', 'y'] });
  const groupsClaim = pick(next, undefined, 'groups', 'org', 'teams');
  return role(name, {
    userClaim: pick(next, 'sub', 'sub', 'sub', 'org'),
    policies: pick(next, ['p0'], ['p1'], ['p0', 'p1'], []),
    ...(bound && { boundClaims: bound }),
    ...(groupsClaim && { groupsClaim }),
    ...(next(4) === 0 && { boundSubject: 'a' }),
  });
}

/** What a service may have: two roles, groups in one another, four policies. */
export function stateOf(next: Next): Graph {
  // Where the claim of the groups is the person's name, a role that reads it no longer lets in no one else.
  const isNamed = next(2) === 0;
  const roles = ['r', 's']
    .filter(() => next(4) > 0)
    .map((name) => ({ ...roleOf(next, name), ...(isNamed && { userClaim: 'org', groupsClaim: 'org' }) }));
  const [inner, outer] = [pick(next, ['p2'], ['p3'], []), pick(next, ['p3'], [])];
  return graphOf({
    methods: [method('ci', { jwksUrl: 'https://keys.example.com' })],
    roles,
    groups: [
      { name: 'one', policies: inner },
      { name: 'two', policies: pick(next, ['p2', 'p3'], ['p3'], []) },
    ],
    aliases: [
      { name: 'g', method: 'ci', group: 'one' },
      { name: 'h', method: 'ci', group: 'two' },
      { name: 'x', method: 'ci', group: 'two' },
    ].filter(() => next(5) > 0),
    policies: randomPolicies(next(1_000_000), 4, 2).map((rules, at) => ({
      name: `p${at}`,
      text: rules
        .map(({ path, capabilities }) => `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`)
        .join('\n'),
    })),
    identities:
      outer.length === 0
        ? []
        : [{ kind: 'group', name: 'all', policies: outer, members: [{ kind: 'group', name: 'one' }] }],
  });
}

/** Roles of which one lets in others, or reads groups elsewhere. */
function withOtherField(next: Next, roles: readonly Role[]): Role[] {
  const at = next(roles.length || 1);
  const { boundClaims, groupsClaim, userClaim } = roleOf(next, '');
  const field = pick<object>(
    next,
    { groupsClaim: undefined },
    { groupsClaim },
    { boundClaims },
    { userClaim },
  );
  return roles.map((each, index) => (index === at ? defined<Role>({ ...each, ...field }) : each));
}

/** One or two things of a state made otherwise, or one field of a role. */
export function changed(next: Next, before: Graph): Graph {
  const other = stateOf(next);
  if (next(3) === 0) return { ...before, roles: withOtherField(next, before.roles) };
  const parts: (keyof Graph)[] = ['roles', 'groups', 'aliases', 'policies', 'identities'];
  const taken = [pick(next, ...parts), pick(next, ...parts)];
  const after = { ...before, ...Object.fromEntries(taken.map((part) => [part, other[part]])) };
  // More often a single policy than all of them.
  if (!taken.includes('policies') || next(2) === 0) return after;
  const one = `p${next(4)}`;
  const policies = before.policies.map((policy) =>
    policy.name === one ? (other.policies.find(({ name }) => name === one) ?? policy) : policy,
  );
  return { ...after, policies };
}

import { expect, test } from '@jest/globals';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { randomFrom, randomPolicies } from '../../../../../test/harness/random-policies.ts';
import { decideAccess } from '../../../src/access/questions/change.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import { Acl } from '../../../src/graph/policies/acl.ts';
import { readPolicy } from '../../../src/graph/policies/parse-policy.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { LoginRefused } from '../../../src/login/login-refused.ts';
import { policiesGiven } from '../../../src/login/policies-given.ts';
import { signInByClaims } from '../../../src/login/sign-in.ts';
import { change, graphOf, method, now, role, whole } from '../../review/graphs.ts';

const seed = Number(process.env['SEED'] ?? 20_261_122);
const rounds = Number(process.env['ROUNDS'] ?? (isIn('npm test') ? 100 : 800));

type Next = (limit: number) => number;
type Claims = Record<string, unknown>;

/** Everybody there is. */
const people: Claims[] = ['a', 'b'].flatMap((sub) =>
  [undefined, 'x', 'y'].flatMap((org) =>
    [undefined, [], ['g'], ['h'], ['g', 'h']].flatMap((groups) =>
      [undefined, ['g']].map((teams) => ({ sub, aud: ['secrets'], org, groups, teams })),
    ),
  ),
);
const paths = ['a', 'ab', 'a/a', 'a/c', 'c', 'c/a', 'a/a/a', 'a/a/c', 'c/c/c', 'ab/a', 'ac', 'a/', 'c/a/'];

const pick = <Value>(next: Next, ...values: Value[]) => values[next(values.length)] as Value;

function roleOf(next: Next, name: string): Role {
  const bound = pick<Role['boundClaims']>(next, undefined, undefined, { org: 'x' }, { org: ['x', 'y'] });
  const groupsClaim = pick(next, undefined, 'groups', 'groups', 'teams');
  return role(name, {
    policies: pick(next, ['p0'], ['p1'], ['p0', 'p1'], []),
    ...(bound && { boundClaims: bound }),
    ...(groupsClaim && { groupsClaim }),
    ...(next(4) === 0 && { boundSubject: 'a' }),
  });
}

function stateOf(next: Next): Graph {
  const roles = ['r', 's'].filter(() => next(4) > 0).map((name) => roleOf(next, name));
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

/** One or two things of a state made otherwise. */
function changed(next: Next, before: Graph): Graph {
  const other = stateOf(next);
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

/** All that everybody can do, by asking: who signs in by which roles, with which groups, and may do what where. */
async function abilities(of: Graph): Promise<Set<string>[]> {
  return Promise.all(
    people.map(async (claims) => {
      const present = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
      const signedIn = await Promise.all(
        of.roles.map(async (one) => ({
          one,
          answer: await signInByClaims({
            config: of.methods[0]?.config,
            roleName: one.name,
            role: () => one,
            addressAllowed: () => true,
            now,
            claims: { ...present, iat: 1, exp: 8e12 },
          }),
        })),
      );
      const entered = signedIn.flatMap(({ one, answer }) =>
        answer instanceof LoginRefused ? [] : [{ one, answer }],
      );
      // Whoever is in a group by one role is in it with the token of another, too.
      const groups = [...new Set(entered.flatMap(({ answer }) => answer.groups))];
      const can = new Set<string>();
      for (const { one, answer } of entered) {
        const names = policiesGiven(of, one, { ...answer, groups }).map(({ name }) => name);
        const acl = new Acl(
          of.policies
            .filter(({ name }) => names.includes(name))
            .map(({ name, text }) => ({ name, rules: readPolicy(text) ?? [] })),
          now,
        );
        for (const path of paths) {
          for (const capability of ['read', 'update', 'list'] as const) {
            if (acl.allows({ path, capability })) can.add(`${capability} ${path}`);
          }
        }
      }
      return can;
    }),
  );
}

test(`nobody gains or loses in silence, whatever changes (seed ${seed})`, async () => {
  const silent: unknown[] = [];
  let gaining = 0;
  let decided = 0;
  for (let round = 0; round < rounds; round++) {
    const next = randomFrom(seed + round);
    const before = stateOf(next);
    const after = changed(next, before);
    const { gains, losses } = decideAccess(change(before, after), now);
    const known = decideAccess(change(whole(before), whole(after)), now);
    if (known.gains === 'none' && gains === 'unknown') decided += 1;
    const [was, is] = [await abilities(before), await abilities(after)];
    const gained = is.some((can, at) => [...can].some((one) => !was[at]?.has(one)));
    const lost = was.some((can, at) => [...can].some((one) => !is[at]?.has(one)));
    if (gained) gaining += 1;
    const isSilent = (gained && known.gains === 'none') || (lost && known.losses === 'none');
    if (isSilent || (gained && gains === 'none') || (lost && losses === 'none')) {
      silent.push({ round, gained, gains, lost, losses, known: known.gains, before, after });
    }
  }
  expect(gaining).toBeGreaterThan(rounds / 10);
  expect(decided).toBeGreaterThan(rounds / 100);
  expect(silent.slice(0, 1)).toEqual([]);
}, 300_000);

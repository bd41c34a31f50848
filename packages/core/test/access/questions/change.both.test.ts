import { expect, test } from '@jest/globals';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { isAsked, randomFrom } from '../../../../../test/harness/random-policies.ts';
import { administrators } from '../../../src/access/administration.ts';
import { policySides } from '../../../src/access/policy-sides.ts';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { RuleBook } from '../../../src/access/rule-book.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import { Acl } from '../../../src/graph/policies/acl.ts';
import { readPolicy } from '../../../src/graph/policies/parse-policy.ts';
import { LoginRefused } from '../../../src/login/login-refused.ts';
import { type GivenPolicy, policiesGiven } from '../../../src/login/policies-given.ts';
import { signInByClaims } from '../../../src/login/sign-in.ts';
import { change, now, whole } from '../../review/graphs.ts';
import { changed, paths, people, stateOf } from './random-states.ts';

const seed = Number(process.env['SEED'] ?? 20_261_122);
const rounds = Number(process.env['ROUNDS'] ?? (isIn('npm test') ? 15 : 800));

function allowedBy(of: Graph, given: readonly GivenPolicy[]): string[] {
  const names = new Set(given.map(({ name }) => name));
  const acl = new Acl(
    of.policies
      .filter(({ name }) => names.has(name))
      .map(({ name, text }) => ({ name, rules: readPolicy(text) ?? [] })),
    now,
  );
  const capabilities = ['read', 'update', 'list'] as const;
  return paths.flatMap((path) =>
    capabilities.flatMap((capability) =>
      isAsked(path, capability) && acl.allows({ path, capability }) ? `${capability} ${path}` : [],
    ),
  );
}

interface Abilities {
  can: Set<string>;
  /** Each of their tokens administers the service: what a group takes from it, it can give back to itself. */
  isAdministrator: boolean;
}

/** All that everybody can do, by asking: who signs in by which roles, with which groups, and may do what where. */
async function abilities(of: Graph): Promise<Abilities[]> {
  const all = new Set(of.policies.map(({ name }) => name));
  const administers = administrators(all, new RuleBook(policySides(all, of, of), now), 'after');
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
      // Groups hang on the entity: with the token of a role, people are in the groups that their last sign-in found.
      const tokens = entered.flatMap(({ one, answer }) =>
        entered
          .filter((last) => last.answer.name === answer.name)
          .map((last) => policiesGiven(of, one, { ...answer, groups: last.answer.groups })),
      );
      return {
        can: new Set(tokens.flatMap((policies) => allowedBy(of, policies))),
        isAdministrator: tokens.every((policies) => administers(policies.map(({ name }) => name))),
      };
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
    const gained = is.some(({ can }, at) => [...can].some((one) => !was[at]?.can.has(one)));
    const lost = was.some(({ can, isAdministrator }, at) => {
      const stays = isAdministrator && is[at]?.isAdministrator;
      return !stays && [...can].some((one) => !is[at]?.can.has(one));
    });
    if (gained) gaining += 1;
    const isSilent = (gained && known.gains === 'none') || (lost && known.losses === 'none');
    if (isSilent || (gained && gains === 'none') || (lost && losses === 'none')) {
      silent.push({ round, gained, gains, lost, losses, known: known.gains, before, after });
    }
  }
  expect(gaining).toBeGreaterThan(rounds / 15);
  expect(decided).toBeGreaterThan(rounds / 100);
  expect(silent.slice(0, 1)).toEqual([]);
}, 300_000);

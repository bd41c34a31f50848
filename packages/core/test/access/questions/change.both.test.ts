import { expect, test } from '@jest/globals';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { randomFrom } from '../../../../../test/harness/random-policies.ts';
import { decideAccess } from '../../../src/access/questions/change.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import { Acl } from '../../../src/graph/policies/acl.ts';
import { readPolicy } from '../../../src/graph/policies/parse-policy.ts';
import { LoginRefused } from '../../../src/login/login-refused.ts';
import { policiesGiven } from '../../../src/login/policies-given.ts';
import { signInByClaims } from '../../../src/login/sign-in.ts';
import { change, now, whole } from '../../review/graphs.ts';
import { changed, paths, people, stateOf } from './random-states.ts';

const seed = Number(process.env['SEED'] ?? 20_261_122);
const rounds = Number(process.env['ROUNDS'] ?? (isIn('npm test') ? 15 : 800));

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

import { describe, expect, it } from '@jest/globals';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { everyPath, isAsked, randomPolicies } from '../../../../../test/harness/random-policies.ts';
import { reachOf } from '../../../src/access/questions/reach.ts';
import { Reach } from '../../../src/access/questions/who-can.ts';
import type { Capability, PathRule } from '../../../src/graph/policies/parse-policy.ts';
import { role } from '../../review/graphs.ts';
import { aclOf, houseOf } from '../asked-paths.ts';

const now = 0n;
const rounds = Number(process.env['ROUNDS'] ?? (isIn('npm test') ? 54 : 400));
const seed = Number(process.env['SEED'] ?? 20_261_121);
const capabilities = ['read', 'update', 'list'] as const;
const asked = ['a/*', 'a', 'a/+', '+/a', 'ab*', '*', 'a/ab/', '+/+/a', 'ab/a/c'];

/** The paths that a pattern matches, as a policy of it alone would: of a list, folders without their last slash. */
function matching(pattern: string, capability: Capability): string[] {
  const acl = aclOf([[{ path: pattern, capabilities: [capability] }]]);
  return everyPath.filter((path) => isAsked(path, capability) && acl.allows({ path, capability }));
}

describe(`who can, seed ${seed}`, () => {
  it('is whoever can on one of the paths, whatever groups they are in', () => {
    const wrong: unknown[] = [];
    for (let round = 0; round < rounds; round++) {
      const texts = randomPolicies(seed + round, 4, 3);
      const reach = new Reach(houseOf(texts), now);
      const path = asked[round % asked.length] as string;
      for (const capability of capabilities) {
        const { answer, abilities } = reach.whoCan({ capability, path });
        const paths = matching(path, capability);
        const can = (held: PathRule[][]) => {
          const acl = aclOf(held);
          return paths.filter((one) => acl.allows({ path: one, capability }));
        };
        const sets = [0, 1, 2, 3, 4, 5, 6, 7].map((set) =>
          texts.filter((_, at) => at === 0 || (set >> (at - 1)) % 2 === 1),
        );
        const anybody = sets.some((held) => can(held).length > 0);
        const alone = can([texts[0] ?? []]);
        const byRole = abilities.find(({ by }) => by.kind === 'role');
        const isWhole = alone.length > 0 && alone.length === paths.length;
        if (
          (answer === 'yes') !== anybody ||
          (byRole !== undefined) !== alone.length > 0 ||
          (byRole !== undefined && byRole.everywhere !== isWhole)
        ) {
          wrong.push({ round, texts, path, capability, answer, anybody, byRole, alone });
        }
      }
    }
    expect(wrong.slice(0, 1)).toEqual([]);
  });

  it('is a principal that a template lets list a folder, where it is filled in with nothing', () => {
    const rules = [{ path: 'a/{{identity.entity.metadata.k}}', capabilities: ['list'] }];
    const reach = new Reach(houseOf([rules]), now);
    expect(reach.whoCan({ capability: 'list', path: 'a' }).answer).toBe('yes');
  });

  it('is a principal that a template with letters and a star behind it lets', () => {
    const rules = [{ path: 'a/{{identity.entity.metadata.k}}b*', capabilities: ['update'] }];
    const reach = new Reach(houseOf([rules]), now);
    expect(reach.whoCan({ capability: 'update', path: 'a/abc' }).answer).toBe('yes');
  });

  it('shows a path that the one policy, or both together, allow', () => {
    const wrong: unknown[] = [];
    for (let round = 0; round < rounds; round++) {
      const texts = randomPolicies(seed + round, 4, 3);
      const reach = new Reach(houseOf(texts), now);
      const path = asked[round % asked.length] as string;
      for (const capability of capabilities) {
        for (const { by, path: witness } of reach.whoCan({ capability, path }).abilities) {
          const own = by.kind === 'role' ? [] : [texts[Number(by.name.slice(1))] ?? []];
          const acl = aclOf([texts[0] ?? [], ...own]);
          const one = capability === 'list' ? witness.replace(/\/$/, '') : witness;
          if (!acl.allows({ path: one, capability })) wrong.push({ round, texts, by, capability, witness });
        }
      }
    }
    expect(wrong.slice(0, 1)).toEqual([]);
  });
});

describe(`what a role reaches, seed ${seed}`, () => {
  it('has a row for every pattern that decides on some path, with what is allowed there', () => {
    const wrong: unknown[] = [];
    for (let round = 0; round < rounds; round++) {
      const texts = randomPolicies(seed + round, 2, 3);
      const all = houseOf(texts);
      const { rows } = reachOf(all, role('r', { policies: ['p0'] }), ['g1'], now);
      const acl = aclOf(texts);
      for (const capability of capabilities) {
        const allowed = everyPath.some((path) => acl.allows({ path, capability }));
        const isListed = rows.some((row) => row.capabilities.includes(capability));
        if (isListed !== allowed) wrong.push({ round, texts, capability, isListed });
      }
      const denied = everyPath.some((path) => acl.capabilities(path)[0] === 'deny' && decides(texts, path));
      // A rule that gives a list alone is a hole for all else.
      const isHole = (path: string) =>
        decides(texts, path) &&
        !capabilities.some((one) => one !== 'list' && acl.allows({ path, capability: one }));
      const isTold = rows.some((row) => row.capabilities.includes('deny'));
      if (isTold ? !everyPath.some(isHole) : denied) wrong.push({ round, texts, isTold });
    }
    expect(wrong.slice(0, 1)).toEqual([]);
  });
});

/** Whether any pattern of the policies is about a path. */
function decides(texts: PathRule[][], path: string): boolean {
  const all = texts.map((rules) => rules.map((rule) => ({ ...rule, capabilities: ['read'] })));
  return aclOf(all).capabilities(path)[0] !== 'deny';
}

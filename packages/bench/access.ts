import { AnyRest } from '../../core/access/any-rest.ts';
import { decide } from '../../core/access/decide.ts';
import type { PolicySides } from '../../core/access/policy-sides.ts';
import { RuleBook } from '../../core/access/rule-book.ts';
import type { PathRule } from '../../core/model/policies/parse-policy.ts';
import { randomFrom, randomPolicies } from '../../test/harness/random-policies.ts';
import { BoundedAlphabet } from './bounded-alphabet.ts';
import { type Bench, type Figure, figure } from './frame.ts';

const seed = Number(process.env['SEED'] ?? 20_261_121);

/** Decisions over access, against asking everything. */
export const access: Bench = async ({ n = 100_000 }) => {
  const alphabet = new BoundedAlphabet();
  return [
    figure('seed', seed),
    ...shown('pairs of policy sets', policyPairs(alphabet, Math.ceil(n * 0.8), 1)),
    ...shown('… with four groups, all subsets', policyPairs(alphabet, Math.ceil(n * 0.2), 5)),
    ...shown('… with an unknown rest', pairsWithRest(alphabet, n)),
  ];
};

/** How often principals gain or lose, and how often that was not said, or said of none. */
interface Count {
  asked: number;
  some: number;
  missed: number;
  wrong: number;
  unknown: number;
}

const none = (asked: number): Count => ({ asked, some: 0, missed: 0, wrong: 0, unknown: 0 });

function shown(what: string, { asked, some, missed, wrong, unknown }: Count): Figure[] {
  return [
    figure(what, asked),
    figure('  with gains', some),
    figure('  missed', missed, '', 0),
    figure('  false', wrong, '', 0),
    figure('  cannot be judged', unknown, '', 0),
  ];
}

/** Policies of which one of the tokens' changes: of a role alone, or of a role and groups in all subsets. */
function policyPairs(alphabet: BoundedAlphabet, count: number, policies: number): Count {
  const found = none(count);
  for (let round = 0; round < count; round++) {
    const texts = randomPolicies(seed * 7 + round, policies + 1, policies === 1 ? 4 : 2);
    const before = texts.slice(0, policies);
    const after = before.map((rules, at) => (at === round % policies ? (texts[policies] ?? []) : rules));
    const grants = before.map((_, at) => ({ by: `p${at}`, before: [`p${at}`], after: [`p${at}`] }));
    const tokens = { roles: grants.slice(0, 1), groups: grants.slice(1) };
    const { changes, undecided } = decide([tokens], bookOf(before, after));
    if (undecided.length > 0) found.unknown += 1;
    const truth = alphabet.compare(before, after);
    if (truth.gained.length > 0) found.some += 1;
    for (const side of ['gained', 'lost'] as const) {
      const said = new Set(changes.flatMap((one) => (one.direction === side ? one.capabilities : [])));
      if (truth[side].some((one) => !said.has(one))) found.missed += 1;
      if ([...said].some((one) => !truth[side].includes(one))) found.wrong += 1;
    }
  }
  return found;
}

function bookOf(before: PathRule[][], after: PathRule[][]): RuleBook {
  const policies = before.map((rules, at): [string, PolicySides] => {
    return [`p${at}`, { before: rules, after: after[at], isSame: rules === after[at] }];
  });
  return new RuleBook(new Map(policies), 0n);
}

/** Whether a changed policy may gain with policies that are not known, against one rule of the rest at a time. */
function pairsWithRest(alphabet: BoundedAlphabet, count: number): Count {
  const found = none(count);
  for (let round = 0; round < count; round++) {
    const next = randomFrom(seed + round);
    const [before = [], other = []] = randomPolicies(seed * 11 + round, 2);
    // Most changes are of one rule: those of all rules are rarely safe.
    const after = next(3) === 0 ? other : [...before.slice(next(2)), ...other.slice(0, next(2))];
    const said = new AnyRest(bookOf([before], [after])).mayGain({ before: ['p0'], after: ['p0'] });
    const truth = alphabet.mayGain(before, after);
    if (truth) found.some += 1;
    if (said?.by === 'budget' || said?.by === 'unread') found.unknown += 1;
    else if (said === undefined && truth) found.missed += 1;
    else if (said !== undefined && !truth) found.wrong += 1;
  }
  return found;
}

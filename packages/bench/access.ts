import { randomFrom, randomPolicies } from '../../test/harness/random-policies.ts';
import { anyRest } from '../core/src/access/any-rest.ts';
import { decide } from '../core/src/access/decide.ts';
import type { PolicySides } from '../core/src/access/policy-sides.ts';
import { Reach } from '../core/src/access/questions/who-can.ts';
import { RuleBook } from '../core/src/access/rule-book.ts';
import { emptyGraph } from '../core/src/graph/graph.ts';
import type { PathRule } from '../core/src/graph/policies/parse-policy.ts';
import { composeChanges } from '../core/src/review/plan/compose-change.ts';
import { readPlan } from '../core/src/review/plan/read-plan.ts';
import { review } from '../core/src/review/review.ts';
import { rolesAndGroupsPlan, rolesPlan } from '../core/test/review/large-plans.ts';
import { BoundedAlphabet } from './bounded-alphabet.ts';
import { type Bench, type Figure, figure, inTurn, median, result, seconds } from './frame.ts';

const seed = Number(process.env['SEED'] ?? 20_261_121);

/** Decisions over access, against asking everything; and how long they take. */
export const access: Bench = async ({ n = 100_000, rounds = 5 }) => {
  const alphabet = new BoundedAlphabet();
  return [
    figure('seed', seed),
    ...shown('pairs of policy sets', policyPairs(alphabet, Math.ceil(n * 0.8), 1)),
    ...shown('… with four groups, all subsets', policyPairs(alphabet, Math.ceil(n * 0.2), 5)),
    // With a rest, a gain may be said to be possible that no pattern fits: safe, and rare.
    ...shown('… with an unknown rest', pairsWithRest(alphabet, n), Math.ceil(n / 1000)),
    figure('a change in 3,000 rules', await medianOf(rounds, largeChange(3_000)), ' s', 0.3),
    ...(await questions(rounds)),
    // At full size or in miniature: 20,000 roles of the 100,000 pairs.
    await reviewOfRoles(Math.ceil(n / 50) * 10),
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

function shown(what: string, { asked, some, missed, wrong, unknown }: Count, mostWrong = 0): Figure[] {
  return [
    figure(what, asked),
    figure('  with gains', some),
    result('  missed', missed),
    result('  false', wrong, mostWrong),
    result('  cannot be judged', unknown),
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
      const listed = new Set(changes.flatMap((one) => (one.direction === side ? one.capabilities : [])));
      if (truth[side].some((one) => !listed.has(one))) found.missed += 1;
      if ([...listed].some((one) => !truth[side].includes(one))) found.wrong += 1;
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
    const answer = anyRest(bookOf([before], [after]))({ before: ['p0'], after: ['p0'] });
    const truth = alphabet.mayGain(before, after);
    if (truth) found.some += 1;
    if (answer?.by === 'budget' || answer?.by === 'unread') found.unknown += 1;
    else if (answer === undefined && truth) found.missed += 1;
    else if (answer !== undefined && !truth) found.wrong += 1;
  }
  return found;
}

async function medianOf(rounds: number, work: () => unknown): Promise<number> {
  return median((await inTurn(rounds, { work: () => seconds(work) })).work);
}

/** A change of every third of so many rules, whose patterns cross. */
function largeChange(rules: number): () => unknown {
  const next = randomFrom(seed);
  const patterns = Array.from({ length: rules }, (_, at) => {
    const [team, app] = [`team${next(200)}`, `app${next(150)}`];
    const crossing = [`secret/+/${team}/*`, `secret/data/+/${app}`, `+/data/${team}/x${next(30)}*`];
    return crossing[at % 10] ?? `secret/data/${team}/${app}/${next(3) === 0 ? '*' : at}`;
  });
  const before = patterns.map((path) => ({ path, capabilities: ['read'] }));
  const widened = (rule: PathRule) => ({ ...rule, capabilities: ['read', 'update'] });
  const after = before.map((rule, at) => (at % 3 === 0 ? widened(rule) : rule));
  const roles = [{ by: 'r', before: ['p0'], after: ['p0'] }];
  return () => decide([{ roles, groups: [] }], bookOf([before], [after]));
}

/** Who can, over 1,000 roles, each with a policy of its own, and fifty groups that any of them lets people into. */
async function questions(rounds: number): Promise<Figure[]> {
  const plan = readPlan(JSON.stringify(rolesAndGroupsPlan(1_000, 50).plan()));
  const reach = new Reach(composeChanges(plan)[0]?.change.after ?? emptyGraph(), 0n);
  const figures: Figure[] = [];
  for (const path of ['secret/data/t7/x', 'secret/data/t1007/x', 'secret/*']) {
    const taken = await medianOf(rounds * 3, () => reach.whoCan({ capability: 'read', path }));
    figures.push(figure(`who-can ${path}, 1,000 roles`, taken * 1000, ' ms', 100));
  }
  return figures;
}

/** The review of a plan in which so many roles change, of which a third are new. */
async function reviewOfRoles(roles: number): Promise<Figure> {
  const plan = JSON.stringify(rolesPlan(roles).plan());
  const taken = await seconds(() => review(readPlan(plan), { now: 0n }));
  return figure(`review of ${roles} roles`, taken, ' s', 20);
}

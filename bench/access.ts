import { decide } from '../core/access/decide.ts';
import type { PolicySides } from '../core/access/policy-sides.ts';
import { Reach } from '../core/access/questions/who-can.ts';
import { RuleBook } from '../core/access/rule-book.ts';
import { inclusion, populationOf } from '../core/access/sign-in/population.ts';
import { emptyGraph, type Graph } from '../core/model/graph.ts';
import { Acl } from '../core/model/policies/acl.ts';
import type { Capability, PathRule } from '../core/model/policies/parse-policy.ts';
import { everyPath, randomFrom, randomPolicies } from '../test/harness/random-policies.ts';
import { addressesFor, type Door, doorPairs, letsIn, tokensFor } from '../test/harness/sign-in-pairs.ts';
import { atMost, type Figure, figure, median } from './figure.ts';
import { review } from './review.ts';

interface AccessOptions {
  /** Pairs of policy sets. Defaults to 100,000; the sign-in pairs are a hundredth of it, at least 10. */
  roles?: number;
  /** Defaults to 5. */
  rounds?: number;
}

const seed = Number(process.env['SEED'] ?? 20_261_121);

/** Decisions over access, against asking everything; and how long they take. */
export async function access({ roles: pairs = 100_000, rounds = 5 }: AccessOptions): Promise<Figure[]> {
  const oracle = new Oracle();
  const alone = policyPairs(oracle, Math.ceil(pairs * 0.8), 1);
  const grouped = policyPairs(oracle, Math.ceil(pairs * 0.2), 5);
  const people = await signInPairs(Math.max(10, Math.ceil(pairs / 100)));
  return [
    figure('seed', seed, ''),
    ...shown('pairs of policy sets', alone),
    ...shown('… with four groups, all subsets', grouped),
    ...shown('pairs of sign-ins', people),
    atMost('a change in 3,000 rules', largeChange(3_000, rounds), 0.5, ' s'),
    ...questions(1_000, rounds),
    ...(await review({ rounds })).slice(0, 2),
  ];
}

/** How often somebody gains or loses, and how often that was not said, or said of nobody. */
interface Count {
  asked: number;
  some: number;
  missed: number;
  wrong: number;
  unknown: number;
}

function shown(what: string, { asked, some, missed, wrong, unknown }: Count): Figure[] {
  return [
    figure(what, asked, ''),
    figure('… with gains', some, ''),
    atMost('… missed', missed, 0, ''),
    atMost('… false', wrong, 0, ''),
    atMost('… cannot be judged', unknown, 0, ''),
  ];
}

const sides = ['gained', 'lost'] as const;

/** Policies of which one of the tokens' changes: of a role alone, or of a role and groups in all subsets. */
function policyPairs(oracle: Oracle, count: number, policies: number): Count {
  const found: Count = { asked: count, some: 0, missed: 0, wrong: 0, unknown: 0 };
  for (let round = 0; round < count; round++) {
    const texts = randomPolicies(seed * 7 + round, policies + 1, policies === 1 ? 4 : 2);
    const before = texts.slice(0, policies);
    const after = before.map((rules, at) => (at === round % policies ? (texts[policies] ?? []) : rules));
    const named = before.map((rules, at): [string, PolicySides] => [
      `p${at}`,
      { before: rules, after: after[at], isSame: rules === after[at] },
    ]);
    const grants = named.map(([name]) => ({ by: name, before: [name], after: [name] }));
    const { changes, undecided } = decide(
      [{ roles: grants.slice(0, 1), groups: grants.slice(1) }],
      new RuleBook(new Map(named), 0n),
    );
    if (undecided.length > 0) found.unknown += 1;
    const truth = oracle.compare(before, after);
    if (truth.gained.size > 0) found.some += 1;
    for (const side of sides) {
      const said = new Set(changes.flatMap((one) => (one.direction === side ? one.capabilities : [])));
      if ([...truth[side]].some((one) => !said.has(one))) found.missed += 1;
      if ([...said].some((one) => !truth[side].has(one))) found.wrong += 1;
    }
  }
  return found;
}

const asked = ['read', 'update', 'list'] as const;

/**
 * Answers what a token may do at every path of the alphabet as `Acl` does, from what it answers for each pattern, and
 * for each two patterns, at each path.
 */
class Oracle {
  readonly #patterns = new Map<string, number>();
  /** For every class of paths, whether it is asked as a folder, and the patterns that match, the deciding one first. */
  #classes: { isList: boolean; order: number[] }[] = [];

  compare(before: PathRule[][], after: PathRule[][]): Record<(typeof sides)[number], Set<string>> {
    this.#learn([...before, ...after].flat().map(({ path }) => path));
    const result = { gained: new Set<string>(), lost: new Set<string>() };
    // The first is the role's; every subset of the others are groups.
    for (let set = 0; set < 2 ** (before.length - 1); set++) {
      const has = (_: unknown, at: number) => at === 0 || (set >> (at - 1)) % 2 === 1;
      const [was, is] = [before, after].map((policies) => this.#united(policies.filter(has))) as [
        number[],
        number[],
      ];
      for (const { isList, order } of this.#classes) {
        const [old, wanted] = [was, is].map((rules) => {
          for (const index of order) if (rules[index] !== undefined) return allowed(rules[index], isList);
          return 0;
        }) as [number, number];
        for (const [bit, capability] of asked.entries()) {
          if (wanted & ~old & (1 << bit)) result.gained.add(capability);
          if (old & ~wanted & (1 << bit)) result.lost.add(capability);
        }
      }
    }
    return result;
  }

  #united(policies: PathRule[][]): number[] {
    const rules: number[] = [];
    for (const { path, capabilities } of policies.flat()) {
      const index = this.#patterns.get(path) as number;
      rules[index] = (rules[index] ?? 0) | bits(capabilities);
    }
    return rules;
  }

  /** Asks `Acl` anew where there is a pattern that it was not asked about. */
  #learn(patterns: string[]): void {
    if (patterns.every((pattern) => this.#patterns.has(pattern))) return;
    for (const seeds of [0, 1]) {
      for (const { path } of randomPolicies(seeds, 20_000).flat())
        this.#patterns.set(path, this.#patterns.get(path) ?? this.#patterns.size);
    }
    for (const path of patterns) this.#patterns.set(path, this.#patterns.get(path) ?? this.#patterns.size);
    const texts = [...this.#patterns.keys()];
    const classes = new Map<string, { isList: boolean; order: number[] }>();
    for (const path of everyPath) {
      for (const capability of ['read', 'list'] as const) {
        const isList = capability === 'list';
        const matching = texts.filter((one) => allows({ [one]: capability }, path, capability));
        const order = matching
          .sort((one, other) => (allows({ [one]: capability, [other]: 'deny' }, path, capability) ? -1 : 1))
          .map((one) => this.#patterns.get(one) as number);
        classes.set(`${isList} ${order.join()}`, { isList, order });
      }
    }
    this.#classes = [...classes.values()];
  }
}

function bits(capabilities: string[]): number {
  if (capabilities.includes('deny')) return 8;
  return asked.reduce((sum, one, bit) => sum | (capabilities.includes(one) ? 1 << bit : 0), 0);
}

function allowed(rule: number, isList: boolean): number {
  return rule & 8 ? 0 : rule & (isList ? 4 : 3);
}

function allows(rules: Record<string, string>, path: string, capability: Capability): boolean {
  const policy = Object.entries(rules).map(([pattern, one]) => ({ path: pattern, capabilities: [one] }));
  return new Acl([{ name: 'p', rules: policy }], 0n).allows({ path, capability });
}

/** Who one role lets in and another does not, against signing in with every token of an alphabet. */
async function signInPairs(count: number): Promise<Count> {
  const found: Count = { asked: 0, some: 0, missed: 0, wrong: 0, unknown: 0 };
  for (const pair of doorPairs(seed, count)) {
    found.asked += 1;
    const [inner, outer] = pair.map(({ role, method }) => populationOf(role, method)) as [
      ReturnType<typeof populationOf>,
      ReturnType<typeof populationOf>,
    ];
    const said = inclusion(inner, outer);
    if (said.answer === 'unknown') found.unknown += 1;
    if (said.answer === 'no') {
      found.some += 1;
      const { claims, address } = said.witness;
      const isSame = pair[0].role.roleType === pair[1].role.roleType;
      if (!(await letsIn(pair[0], claims, address)) || (isSame && (await letsIn(pair[1], claims, address))))
        found.wrong += 1;
    }
    if (said.answer === 'yes' && (await isBeyond(pair))) found.missed += 1;
  }
  return found;
}

async function isBeyond(pair: readonly [Door, Door]): Promise<boolean> {
  for (const claims of tokensFor(pair)) {
    for (const address of addressesFor(pair)) {
      if ((await letsIn(pair[0], claims, address)) && !(await letsIn(pair[1], claims, address))) return true;
    }
  }
  return false;
}

/** Seconds to decide a change of every third of so many rules, whose patterns cross. */
function largeChange(rules: number, rounds: number): number {
  const next = randomFrom(seed);
  const patterns = Array.from({ length: rules }, (_, at) => {
    const [team, app] = [`team${next(200)}`, `app${next(150)}`];
    const crossing = [`secret/+/${team}/*`, `secret/data/+/${app}`, `+/data/${team}/x${next(30)}*`];
    return crossing[at % 10] ?? `secret/data/${team}/${app}/${next(3) === 0 ? '*' : at}`;
  });
  const before = patterns.map((path) => ({ path, capabilities: ['read'] }));
  const after = before.map((rule, at) =>
    at % 3 === 0 ? { ...rule, capabilities: ['read', 'update'] } : rule,
  );
  const grant = { by: 'r', before: ['p'], after: ['p'] };
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    decide(
      [{ roles: [grant], groups: [] }],
      new RuleBook(new Map([['p', { before, after, isSame: false }]]), 0n),
    );
    return (performance.now() - started) / 1000;
  });
  return median(times);
}

/** Milliseconds to say who can, over so many roles, each with a policy of its own and one of all, and fifty groups. */
function questions(roles: number, rounds: number): Figure[] {
  const paths = (from: number) => [0, 1, 2].map((app) => `prod/team${from}/app${app}/*`);
  const policy = (name: string, patterns: string[]) => ({
    name,
    text: patterns.map((path) => `path "${path}" { capabilities = ["read"] }`).join('\n'),
  });
  const all = Array.from({ length: roles }, (_, at) => at);
  const groups = all.slice(0, 50);
  const graph: Graph = {
    ...emptyGraph(),
    methods: [{ path: 'ci', type: 'jwt', config: {} }],
    roles: all.map((at) => ({
      ...{ method: 'ci', name: `r${at}`, roleType: 'jwt', userClaim: 'sub', groupsClaim: 'groups' },
      ...{ boundAudiences: ['a'], policies: [`p${at}`, 'shared'] },
    })),
    groups: groups.map((at) => ({ name: `g${at}`, policies: [`p${at}`] })),
    aliases: groups.map((at) => ({ name: `g${at}`, method: 'ci', group: `g${at}` })),
    policies: [...all.map((at) => policy(`p${at}`, paths(at))), policy('shared', ['shared/+/x'])],
  };
  const reach = new Reach(graph, 0n);
  return ['prod/team7/app1/x', 'shared/a/x', 'prod/*'].map((path) => {
    const times = Array.from({ length: rounds * 3 }, () => {
      const started = performance.now();
      reach.whoCan({ capability: 'read', path });
      return performance.now() - started;
    });
    return atMost(`who-can ${path}, 1,000 roles`, median(times), 100, ' ms');
  });
}

import { everyPath, isAsked, randomPolicies } from '../../test/harness/random-policies.ts';
import { Acl } from '../core/src/graph/policies/acl.ts';
import type { Capability, PathRule } from '../core/src/graph/policies/parse-policy.ts';

const asked: Capability[] = ['read', 'update', 'list'];
/** Bits of a rule: those asked for, a denial, and a capability that no random policy has. */
const [onList, onOthers, denied, other] = [4, 3 | 16, 8, 16];
const anyRest = [0, 1, 2, 4, denied, other];

/** What policies say together of each pattern, by the pattern's number. */
type Rules = (number | undefined)[];

/** Paths that match the same patterns in the same order: the patterns' numbers, the first match first. */
interface PathClass {
  isList: boolean;
  order: number[];
}

/**
 * Answers what a token may do at every path of the alphabet as `Acl` does, from what it answers for each pattern, and
 * for each two patterns, at each path: to ask it for each pair of policies takes hours.
 */
export class BoundedAlphabet {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #classes: PathClass[];

  constructor() {
    // So many policies have every pattern; only the rest has one that is broader than all.
    const all = randomPolicies(0, 40_000).flatMap((rules) => rules.map(({ path }) => path));
    const patterns = [...new Set([...all, '*'])];
    this.#numbers = new Map(patterns.map((pattern, at) => [pattern, at]));
    const classes = (['read', 'list'] as const).flatMap((capability) =>
      everyPath
        .filter((path) => isAsked(path, capability))
        .map((path) => {
          const allows = (...rules: [string, string][]) => {
            const policy = rules.map(([pattern, one]) => ({ path: pattern, capabilities: [one] }));
            return new Acl([{ name: 'p', rules: policy }], 0n).allows({ path, capability });
          };
          const isFirst = (one: string, two: string) => allows([one, capability], [two, 'deny']);
          const matching = patterns.filter((one) => allows([one, capability]));
          matching.sort((one, two) => (isFirst(one, two) ? -1 : 1));
          return {
            isList: capability === 'list',
            order: matching.map((one) => this.#numbers.get(one) ?? -1),
          };
        }),
    );
    this.#classes = [...new Map(classes.map((one) => [JSON.stringify(one), one])).values()];
  }

  /** What is gained and lost by a token with the first policy and any of the others. */
  compare(before: PathRule[][], after: PathRule[][]): Record<'gained' | 'lost', string[]> {
    let [gained, lost] = [0, 0];
    for (let set = 1; set < 2 ** before.length; set += 2) {
      const has = (_: unknown, at: number) => (set >> at) % 2 === 1;
      const [was, is] = [this.#united(before.filter(has)), this.#united(after.filter(has))];
      for (const one of this.#classes) {
        const [old, wanted] = [allowed(was, one), allowed(is, one)];
        gained |= wanted & ~old;
        lost |= old & ~wanted;
      }
    }
    const names = (bits: number) => asked.filter((_, bit) => bits & (1 << bit));
    return { gained: names(gained), lost: names(lost) };
  }

  /** Whether the token of a policy gains if it has one rule more, of any pattern, the same before and after. */
  mayGain(before: PathRule[], after: PathRule[]): boolean {
    const [was, is] = [this.#united([before]), this.#united([after])];
    const changed = this.#classes.filter(({ order }) => order.some((index) => was[index] !== is[index]));
    return changed.some((one) =>
      one.order.some((index) =>
        anyRest.some((rest) => allowed(is, one, index, rest) & ~allowed(was, one, index, rest)),
      ),
    );
  }

  #united(policies: PathRule[][]): Rules {
    const rules: Rules = [];
    for (const { path, capabilities } of policies.flat()) {
      const index = this.#numbers.get(path);
      if (index === undefined) throw new Error(`no policy of the alphabet has ${path}`);
      const bits = asked.map((one, bit) => (capabilities.includes(one) ? 1 << bit : 0));
      rules[index] = (rules[index] ?? 0) | (capabilities.includes('deny') ? denied : 0);
      for (const bit of bits) rules[index] |= bit;
    }
    return rules;
  }
}

/** What the first of the rules that match allows, if there is another rule on a pattern. */
function allowed(rules: Rules, { isList, order }: PathClass, another = -1, rest = 0): number {
  for (const index of order) {
    const rule = index === another ? (rules[index] ?? 0) | rest : rules[index];
    if (rule !== undefined) return rule & denied ? 0 : rule & (isList ? onList : onOthers);
  }
  return 0;
}

import type { ClaimDemand } from './claim-demands.ts';
import { type Accepted, type Condition, notKnown } from './conditions.ts';

/** Conditions by what they look at: a role may have thousands. */
export class ConditionIndex {
  readonly all: readonly Condition[];
  readonly demands: readonly ClaimDemand[];
  readonly isByToken: boolean;
  /** What is not known, if anything is not. */
  readonly unknown: Condition | undefined;
  readonly #byWhat: ReadonlyMap<string, Condition[]>;
  readonly #demandsByClaim: ReadonlyMap<string, ClaimDemand[]>;

  constructor(all: readonly Condition[]) {
    this.all = all;
    this.demands = all.flatMap(({ accepts }) => (accepts.kind === 'claim' ? [accepts] : []));
    this.#byWhat = Map.groupBy(all, ({ on }) => on);
    this.#demandsByClaim = Map.groupBy(this.demands, ({ at }) => at[0] ?? '');
    this.unknown = all.find(({ accepts }) => accepts.kind === 'exactly' && accepts.value === notKnown);
    this.isByToken = this.accepted('sign-in', 'members')?.members[0]?.id === 'jwt';
  }

  /** What is asked of it. */
  on(what: string): readonly Condition[] {
    return this.#byWhat.get(what) ?? [];
  }

  /** What is asked of a claim, and of what is in it. */
  demandsOn(claim: string): readonly ClaimDemand[] {
    return this.#demandsByClaim.get(claim) ?? [];
  }

  /** What is accepted in one respect, if that is looked at. */
  accepted<Kind extends Accepted['kind']>(what: string, kind: Kind): (Accepted & { kind: Kind }) | undefined {
    const found = this.on(what).find(({ accepts }) => accepts.kind === kind)?.accepts;
    return found as (Accepted & { kind: Kind }) | undefined;
  }
}

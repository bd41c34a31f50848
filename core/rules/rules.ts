import type { ProviderKind } from '../model/kinds/kind.ts';
import type { State } from '../model/state.ts';
import type { Change } from './change.ts';
import type { Finding } from './finding.ts';
import type { ChangeRule, RuleContext, StateRule } from './rule.ts';

export interface RuleOptions {
  /** Rules that are turned off: rule id → the reason. */
  off?: Record<string, string>;
  /** The service that the state is for. Redirect URIs are compared with its addresses only where it is known. */
  service?: RuleContext['service'];
  /**
   * Kinds of the providers, by paths of their methods, as an environment declares them. A kind that is not given
   * is recognised by the method's issuer where that is possible.
   */
  kinds?: Record<string, ProviderKind>;
}

/** Rules over a state. */
export const stateRules: StateRule[] = [];
/** Rules over a change. */
export const changeRules: ChangeRule[] = [];

/** What is wrong with a state, worst first. */
export function judgeState(state: State, options: RuleOptions = {}): Finding[] {
  return judge(stateRules, state, options);
}

/** What is wrong with a change, worst first. What is wrong with the state after it is for `judgeState` to say. */
export function judgeChange(change: Change, options: RuleOptions = {}): Finding[] {
  return judge(changeRules, change, options);
}

const order = { error: 0, warning: 1, info: 2 };

function judge<Judged>(
  rules: { id: string; severity: Finding['severity']; check: StateRule['check'] | ChangeRule['check'] }[],
  judged: Judged,
  { off = {}, service, kinds = {} }: RuleOptions,
): Finding[] {
  const context: RuleContext = {
    ...(service === undefined ? {} : { service }),
    kindOf: (path) => kinds[path],
  };
  return rules
    .filter(({ id }) => !Object.hasOwn(off, id))
    .flatMap(({ id, severity, check }) =>
      (check as (judged: Judged, context: RuleContext) => ReturnType<StateRule['check']>)(
        judged,
        context,
      ).map(
        (objection): Finding => ({
          rule: id,
          docs: `docs/rules.md#${id}`,
          severity,
          ...objection,
        }),
      ),
    )
    .sort((one, other) => order[one.severity] - order[other.severity]);
}

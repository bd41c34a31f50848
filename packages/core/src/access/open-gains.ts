import type { Principals } from './access-change.ts';
import { anyRest, type OpenGain } from './any-rest.ts';
import type { PolicyLists } from './grants.ts';
import type { PolicySides } from './policy-sides.ts';
import type { Reason } from './reasons/reason.ts';
import type { RuleBook } from './rule-book.ts';
import { liftedLimit } from './sign-in/token-limits.ts';

/** What principals may gain with whatever else they have. */
export type OpenGains = ReadonlyMap<Principals, OpenGain>;

/**
 * What each of them may gain with whatever else they have, which is not known: the worst of it.
 *
 * @param own a policy that allows only what is a token's own: where it goes, only a rule over the tokens, leases and
 * identities of all may decide instead, and who has one administers the service
 */
export function openGains(principals: readonly Principals[], book: RuleBook, own?: string): OpenGains {
  const withRest = anyRest(book);
  const mayGain = ({ before, after }: PolicyLists) =>
    withRest({ before: before.filter((name) => name !== own || after.includes(name)), after });
  return new Map(
    principals.flatMap((each) => {
      const gains = each.forAnyRest.flatMap((list) => mayGain(list) ?? []);
      const [worst] = (['denial', 'unread', 'budget', 'limit', 'rule'] as const).flatMap((by) =>
        gains.filter((gain) => gain.by === by),
      );
      return worst === undefined ? [] : [[each, worst] as const];
    }),
  );
}

/** What is missing to say whether principals gain by it. */
export function missingBy(gain: OpenGain, { by }: Principals): Reason[] {
  if (gain.by === 'unread') return [gain.missing];
  return gain.by === 'denial' ? [{ kind: 'denial-gone', pattern: gain.pattern, by }] : [];
}

/** Who else may gain or lose, and was not looked at. */
export function unseenIn(gainsLeftOpen: OpenGains, sides: ReadonlyMap<string, PolicySides>): Reason[] {
  return [
    ...[...sides].flatMap(([policy, { isSame }]): Reason[] =>
      isSame ? [] : [{ kind: 'other-principals', policy }],
    ),
    ...[...gainsLeftOpen].flatMap(([principals, gain]): Reason[] => {
      const { by, kind } = principals;
      const lifted = gain.by === 'limit' ? liftedLimit(principals) : undefined;
      if (lifted !== undefined) return [{ kind: 'other-grants', by, lifted }];
      return kind === 'policy' ? [] : [{ kind: 'other-grants', by }];
    }),
  ];
}

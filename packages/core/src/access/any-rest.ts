import { Budget } from '../graph/values/budget.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { firstMatch, granted, isDenial, type Match, RuleNumbers } from './first-match.ts';
import { changedPolicies, type PolicyLists } from './grants.ts';
import { mayLoosen } from './limits.ts';
import { type Reason, textMissing } from './reasons/reason.ts';
import { missingOf, type PathView, type RuleBook } from './rule-book.ts';

/**
 * What a rest that is not known could turn into a gain:
 * - `denial`: a denial goes, and the rest may grant what it denied.
 * - `rule`: another rule goes, so that a broader one of the rest may decide; or one comes, which may come before a denial of the rest.
 * - `limit`: what the service itself kept these tokens from, it no longer does, and the rest may grant it.
 * - `unread`: a policy comes or goes whose text is not known: it may deny, or come before what grants less.
 */
export type OpenGain =
  | { by: 'denial' | 'limit' | 'rule'; path: string; pattern: string }
  | { by: 'budget' | 'unread'; missing: Reason };

/**
 * Tells whether principals with these policies, and any others that are not known and stay as they are, may gain
 * (docs/inside/access.md, "Any rest"). It is enough to ask this of each thing that changes by itself: if each is safe
 * whatever else there is, all of them together are.
 */
export function anyRest(book: RuleBook): (held: PolicyLists) => OpenGain | undefined {
  const [numbers, budget, known] = [new RuleNumbers(), new Budget(), new Map<string, OpenGain | undefined>()];
  const decided = (held: PolicyLists): OpenGain | undefined => {
    const { before, after } = held;
    const names = [...new Set([...before, ...after])];
    const changed = new Set(changedPolicies(held));
    const unread = [...changed].find(
      (name) => !book.isRead(name, before.includes(name) ? 'before' : 'after'),
    );
    if (unread !== undefined) return { by: 'unread', missing: textMissing(unread) };
    let found: OpenGain | undefined;
    const look = (view: PathView) => {
      if (found?.by === 'denial') return;
      const [was, is] = [view.matches('before'), view.matches('after')];
      budget.spend(4 + before.length + after.length, 'paths');
      const old = firstMatch(before.map((name) => was.get(name)));
      const wanted = firstMatch(after.map((name) => is.get(name)));
      const by = gainWithAnyRest(old, wanted, view.asks);
      if (by === undefined || (by !== 'denial' && found !== undefined)) return;
      const rank = Math.min(old.rank, wanted.rank);
      found = { by, path: view.path, pattern: view.patterns[rank] ?? view.path };
    };
    const asked = { patterns: book.changedPatterns(names, changed, numbers), instants: book.instants(names) };
    const missing = missingOf(() => book.visit(names, asked, look, budget));
    return missing === undefined ? found : { by: 'budget', missing };
  };
  return (held) => getOrMake(known, JSON.stringify([held.before, held.after]), () => decided(held));
}

/**
 * On one class of paths: whether some rules R, the same before and after, let through a request after that they kept out
 * before. Before, the first match of R or `before` decides; after, that of R or `after`.
 */
export function gainWithAnyRest(
  before: Match,
  after: Match,
  asks: PathView['asks'],
): 'denial' | 'limit' | 'rule' | undefined {
  // A limit of the token comes before all that R may say.
  if (after.rule?.closes) return undefined;
  if (before.rule?.closes) return 'limit';
  if (before.rule?.capabilities.has('root')) return undefined;
  const gone = isDenial(before) ? 'denial' : 'rule';
  // R may grant by a pattern between the two, where the one before decided.
  if (before.rank < after.rank) return gone;
  if (isDenial(after) || after.rule === undefined) return undefined;
  // R may have the pattern, too: a denial before kept it out.
  if (before.rank === after.rank && isDenial(before)) return 'denial';
  const had = before.rank === after.rank ? before : undefined;
  const has = granted(after, asks);
  // R may deny by a pattern between the two, where the one after decides.
  const isMore = had === undefined ? has.length > 0 : has.some((one) => !granted(had, asks).includes(one));
  return isMore || mayLoosen(had?.rule, after.rule) ? 'rule' : undefined;
}

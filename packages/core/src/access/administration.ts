import type { Graph } from '../graph/graph.ts';
import type { Rule } from '../graph/policies/acl.ts';
import { type AdministrationPlace, places as allPlaces } from '../graph/policies/administration-places.ts';
import { Budget } from '../graph/values/budget.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import type { Principals } from './access-change.ts';
import { firstMatch, gives, type Match } from './first-match.ts';
import { byPolicy } from './grants.ts';
import { limitsOf } from './limits.ts';
import { policySides, type Side } from './policy-sides.ts';
import type { Reason } from './reasons/reason.ts';
import { beginning, missingOf, missingOfAll, type PathView, RuleBook } from './rule-book.ts';

/** Capabilities that only look. Any other, known or not, changes something. */
const looking = ['read', 'list', 'scan', 'subscribe'];

/** Whether something can be changed by a capability. */
export function isWriting(capability: string): boolean {
  return !looking.includes(capability);
}

/** Paths of auth methods have as many segments as people like. */
const mounts = ['+', '+/+', '+/+/+'];

const byPattern = new Map<string, AdministrationPlace>(
  allPlaces.flatMap((place) =>
    place.patterns.flatMap((pattern) => {
      const all = pattern.includes('<mount>') ? mounts : [''];
      return all.map((mount) => [pattern.replace('<mount>', mount), place] as const);
    }),
  ),
);

/** Where one decides who signs in, and with what, or gets round it: who writes there administers the service. */
export const administration: readonly string[] = [...byPattern.keys()];

/** Where any policy can be given, or written: who writes there can make themselves able to do anything. */
export const settings: readonly string[] = administration.filter((one) => byPattern.get(one)?.givesAny);
/** Those that a path is at for certain: `auth/approle/role/+/secret-id` has paths of a role of a method at `approle/role`. */
const givingAny = settings.filter((one) => !one.startsWith('auth/+/+/'));

/** What a namespace below is administered by. Below its `auth/` and `identity/`, a path may as well be that of a secret. */
const ofNamespace = settings.filter((one) => one.startsWith('sys/')).map(beginning);

/** Whether a capability on one of these patterns is administration. */
export function administers(pattern: string, capability: string): boolean {
  return capability === 'root' || (byPattern.get(pattern)?.by?.includes(capability) ?? isWriting(capability));
}

/** Whether a capability on a pattern that has the name of a namespace below in front is administration of that. */
export function administersBelow(pattern: string, capability: string): boolean {
  const start = beginning(/^[^*]+?\/(sys\/.*)$/.exec(pattern)?.[1] ?? '');
  const isBelow = (one: string) => one.startsWith(start) || start.startsWith(`${one}/`);
  return start !== '' && isWriting(capability) && ofNamespace.some(isBelow);
}

function isAdministration(rule: Rule | undefined, pattern: string): boolean {
  const { capabilities = new Set<string>() } = rule ?? {};
  return !capabilities.has('deny') && [...capabilities].some((one) => administers(pattern, one));
}

/** Whether a rule lets its tokens give themselves anything; a limit may keep them from that. */
function givesAny(rule: Rule): boolean {
  const can = ['create', 'update', 'patch', 'root'].some((one) => gives(rule, one));
  return can && limitsOf(rule).length === 0;
}

interface PlaceView {
  pattern: string;
  path: string;
  matches: ReadonlyMap<string, Match>;
}

/**
 * What tokens may do at places of administration, on one side of a change: `find` finds a place where the rule
 * that decides for a token with these policies is as asked. It looks at those of the policies that are `among`; by default
 * at all of them. `has` says whether a policy has a rule at any of them. Both throw OutOfBudget.
 *
 * @param names the policies that tokens may have
 */
function placesOf(names: ReadonlySet<string>, book: RuleBook, side: Side, patterns: readonly string[]) {
  const budget = new Budget();
  const visited = () => {
    const views: PlaceView[] = [];
    for (const pattern of patterns) {
      const look = ({ asks, path, ...view }: PathView) => {
        if (asks === 'others') views.push({ pattern, path, matches: view.matches(side) });
      };
      book.visit(names, { patterns: new Set([pattern]) }, look, budget);
    }
    return byPolicy(views, ({ matches }) => matches.keys());
  };
  let known: ReadonlyMap<string, readonly PlaceView[]> | undefined;
  const having = () => {
    known ??= visited();
    return known;
  };
  const find = (
    policies: readonly string[],
    isAsked: (rule: Rule, place: PlaceView) => boolean,
    among = policies,
  ): PlaceView | undefined => {
    const places = having();
    for (const place of new Set(among.flatMap((name) => places.get(name) ?? []))) {
      budget.spend(3, 'combinations');
      const { rule } = firstMatch(policies.map((name) => place.matches.get(name)));
      if (rule !== undefined && isAsked(rule, place)) return place;
    }
    return undefined;
  };
  return { find, has: (policy: string) => having().has(policy) };
}

export type IsAdministrator = (policies: readonly string[]) => boolean;

/**
 * Whether a token with these policies could give itself anything on one side of a change, as a function that is worked out
 * when it is asked first. False where there is too much to compare.
 *
 * @param names the policies that tokens may have
 */
export function administrators(names: ReadonlySet<string>, book: RuleBook, side: Side): IsAdministrator {
  const places = placesOf(names, book, side, givingAny);
  const known = new Map<string, boolean>();
  const found = (policies: readonly string[]) => {
    let isOne = policies.length > 0;
    const missing = missingOf(() => {
      isOne &&= places.find(policies, givesAny) !== undefined;
    });
    return isOne && missing === undefined;
  };
  return (policies) => getOrMake(known, JSON.stringify(policies.toSorted()), () => found(policies));
}

type Groups = NonNullable<Principals['joins']>;

/**
 * The groups that let principals who newly get into them administer what the role alone does not; one path each.
 * A role with a single group is enough: others can only take away (see `Reach.whoCan`).
 *
 * @param now nanoseconds since 1970: rules of policies may expire
 * @param isAdministrator whether a token could give itself anything before: then nothing of it is new
 * @returns and what is missing where that is not known
 */
export function administeringGroups(
  principals: readonly Principals[],
  graph: Graph,
  now: bigint,
  isAdministrator: IsAdministrator,
): { found: Map<Principals, { group: string; path: string }[]>; missing?: Reason | undefined } {
  const found = new Map<Principals, { group: string; path: string }[]>();
  const ofGroups = new Map<Groups, Set<string>>();
  const policiesOfGroups = (groups: Groups) =>
    getOrMake(ofGroups, groups, () => new Set(groups.flatMap(({ policies }) => policies)));
  const names = new Set(
    principals.flatMap(({ after, joins = [] }) =>
      joins.length === 0 ? [] : [...after, ...policiesOfGroups(joins)],
    ),
  );
  const book = new RuleBook(policySides(names, graph, graph), now);
  const places = placesOf(names, book, 'after', administration);
  const near = new Map<Groups, Groups>();
  const missing = missingOfAll(() => {
    for (const by of principals) {
      const alone = ({ matches }: PlaceView) => firstMatch(by.after.map((name) => matches.get(name))).rule;
      const isNew = (rule: Rule, place: PlaceView) =>
        isAdministration(rule, place.pattern) && !isAdministration(alone(place), place.pattern);
      const { joins = [] } = by;
      if (joins.length === 0 || isAdministrator(by.before)) continue;
      const nearby = getOrMake(near, joins, () => joins.filter(({ policies }) => policies.some(places.has)));
      for (const { name, policies } of nearby) {
        const place = places.find([...by.after, ...policies], isNew, policies);
        if (place !== undefined) getOrMake(found, by, () => []).push({ group: name, path: place.path });
      }
    }
  });
  return { found, missing };
}

import type { Change } from '../model/change.ts';
import type { State } from '../model/state.ts';
import { nameKey, policyKey } from '../model/values/name-key.ts';
import { type AccessChange, AccessKind, type Answer, begun, strongest } from './access-change.ts';
import { administeringGroups, administration } from './administration.ts';
import { uncertainOf } from './bearing.ts';
import { Budget } from './budget.ts';
import { builtInDefault } from './built-in-default.ts';
import { type Holder, unique } from './holdings.ts';
import { decidePaths, type PathDecision, type PolicySides } from './path-decision.ts';
import { policySides } from './policy-sides.ts';
import { witnessOf } from './sign-in/population.ts';
import { type Way, waysOf } from './ways.ts';

/** What a change does to who can do what. */
export interface AccessDecision {
  /** New ways in first, closed ones last. */
  changes: AccessChange[];
  gains: Answer;
  losses: Answer;
  /** What is missing to judge the change as a whole, in words. */
  uncertain: string[];
  /** The policies that anybody has, in lower case. */
  held: Record<'before' | 'after', ReadonlySet<string>>;
  /** Over what it was decided. */
  over: { roles: number; groups: number; paths: number };
}

/**
 * Who gains and who loses which access by a change (docs/access.md).
 *
 * @param now nanoseconds since 1970: rules of policies may expire
 */
export function decideAccess(change: Change, now: bigint): AccessDecision {
  const { before, after } = change;
  const { ways, crowds } = waysOf(change);
  const held = {
    before: new Set(ways.flatMap(({ holder }) => holder.before)),
    after: new Set(ways.flatMap(({ holder }) => holder.after)),
  };
  const elsewhere = policiesHeldElsewhere(before, after, held);
  const all = [...ways, ...elsewhere];
  const names = unique(all.flatMap(({ holder }) => [...holder.before, ...holder.after]));
  const sides = policySides(names, before.policies, after.policies, now);
  for (const { change, holder } of elsewhere) noteOthers(change, sides.get(holder.name));
  const alone = { roles: elsewhere.map(({ holder }) => holder), groups: [] };
  const decision = decidePaths([...crowds, alone], sides, administration);
  const joining = ways.flatMap(({ change, holder: { after: policies }, joins: groups = [] }) =>
    groups.length === 0 ? [] : [{ change, policies, groups }],
  );
  const administering = administeringGroups(joining, after, now, new Budget());
  for (const [{ change }, by] of administering.found) change.administersBy = by;
  const changes = assembled(all, decision, sides).sort(compareChanges);
  const uncertain = [
    ...(administering.missing === undefined ? [] : [administering.missing]),
    ...decision.undecided.flatMap(({ by, missing }) => (by === undefined ? [missing] : [])),
    ...uncertainOf(change.unknown),
  ];
  const open: Answer[] = uncertain.length > 0 ? ['unknown'] : [];
  const answer = (side: 'gains' | 'losses') => strongest([...open, ...changes.map((one) => one[side])]);
  const roles = [...before.roles, ...after.roles].map(({ method, name }) => `${method} ${nameKey(name)}`);
  return {
    changes,
    gains: answer('gains'),
    losses: answer('losses'),
    uncertain: [...new Set(uncertain)],
    held,
    over: {
      roles: new Set(roles).size,
      groups: ways.filter(({ holder }) => holder.kind === 'group' || holder.kind === 'holder').length,
      paths: decision.paths,
    },
  };
}

/** Policies that change and that nobody holds as far as can be seen: somebody elsewhere may. */
function policiesHeldElsewhere(
  { policies: before }: State,
  { policies: after }: State,
  held: AccessDecision['held'],
): Way[] {
  const has = (list: State['policies'], name: string) =>
    list.some((policy) => policyKey(policy.name) === name);
  return unique(before.map(({ name }) => name))
    .filter((name) => !held.before.has(name) && !held.after.has(name))
    .map((name) => {
      const who = `whoever has policy ${JSON.stringify(name)}`;
      const holder: Holder = {
        kind: 'policy',
        who,
        name,
        before: [name],
        after: has(after, name) ? [name] : [],
      };
      return { change: begun('changed', holder), holder };
    });
}

/**
 * Who has a policy elsewhere may have others as well: a pattern that goes, or no longer denies, leaves its paths to a
 * broader one of theirs, and a new one, or a new denial, takes paths from it.
 */
function noteOthers(change: AccessChange, sides: PolicySides | undefined): void {
  const deciding = (rules: PolicySides['before']) =>
    new Set(
      (rules ?? []).map(({ path, capabilities }) => JSON.stringify([path, capabilities.includes('deny')])),
    );
  const [was, is] = [deciding(sides?.before), deciding(sides?.after)];
  if ([...was].some((rule) => !is.has(rule))) change.gains = 'unknown';
  if ([...is].some((rule) => !was.has(rule))) change.losses = 'unknown';
  if (change.gains === 'unknown' || change.losses === 'unknown') {
    change.uncertain = ['what else its holders have'];
  }
}

/** The ways in with what becomes of their paths; those of which nothing changes are left out. */
function assembled(
  ways: Way[],
  decision: PathDecision<Holder>,
  sides: Map<string, PolicySides>,
): AccessChange[] {
  // What every token may do for itself is said by the name `default`, as long as nobody writes that policy.
  const everyones = new Set(isBuiltIn(sides.get('default')) ? builtInDefault().map(({ path }) => path) : []);
  const changes = Map.groupBy(decision.changes, ({ by }) => by);
  const open = Map.groupBy(decision.undecided, ({ by }) => by);
  return ways.flatMap(({ change, holder, population }) => {
    const found = changes.get(holder) ?? [];
    const undecided = open.get(holder) ?? [];
    const effects = [
      ...found.map(({ side }) => ({ side, answer: 'some' as const })),
      ...undecided.map(({ side }) => ({ side, answer: 'unknown' as const })),
      ...change.beside.flatMap(({ gains, losses }) => [
        { side: 'gained' as const, answer: gains },
        { side: 'lost' as const, answer: losses },
      ]),
    ];
    const all = (side: 'gained' | 'lost', own: Answer) =>
      strongest([own, ...effects.filter((one) => one.side === side).map(({ answer }) => answer)]);
    const { gained, lost } = change.policies;
    const isNothing =
      change.kind === AccessKind.changed &&
      effects.length === 0 &&
      change.uncertain.length === 0 &&
      gained.length + lost.length === 0;
    if (isNothing) return [];
    const unread = [...gained, ...lost].filter((name) => {
      const { before, after } = sides.get(name) ?? {};
      return before === undefined || after === undefined;
    });
    // A policy in addition is a gain, whatever it may allow.
    const gains = gained.some((name) => unread.includes(name)) ? 'some' : all('gained', change.gains);
    const losses = lost.some((name) => unread.includes(name)) ? 'some' : all('lost', change.losses);
    const token = change.token ?? (gains === 'some' && population ? witnessOf(population) : undefined);
    return [
      {
        ...change,
        paths: changedPaths(found.filter(({ pattern }) => !everyones.has(pattern))),
        unread,
        uncertain: [...new Set([...change.uncertain, ...undecided.map(({ missing }) => missing)])],
        gains,
        losses,
        ...(token && { token }),
      },
    ];
  });
}

function isBuiltIn(sides: PolicySides | undefined): boolean {
  return sides?.before === builtInDefault() && sides.after === builtInDefault();
}

/** One entry a pattern, with what is gained and lost there. */
function changedPaths(found: PathDecision<Holder>['changes']): AccessChange['paths'] {
  return [...Map.groupBy(found, ({ pattern }) => pattern)]
    .map(([path, changes]) => {
      const of = (side: string) =>
        changes.flatMap((one) => (one.side === side ? one.capabilities : [])).sort();
      const [first] = changes as [(typeof changes)[number]];
      const limits = changes.flatMap(({ side, limit, limited: capabilities = [] }) =>
        limit === undefined ? [] : [{ side, limit, capabilities }],
      );
      const administers = [
        ...new Set(changes.flatMap(({ side, probed }) => (side === 'gained' ? probed : []))),
      ];
      return {
        path,
        gained: of('gained'),
        lost: of('lost'),
        parametersChange: limits.length > 0,
        ...(limits.length > 0 && { limits }),
        ...(administers.length > 0 && { administers }),
        witness: first.path,
        ...(first.together.length > 0 && { together: first.together.map(({ who }) => who) }),
      };
    })
    .sort((a, b) => compareText(a.path, b.path));
}

const order: AccessKind[] = ['opened', 'widened', 'changed', 'narrowed', 'closed'];

function compareChanges(a: AccessChange, b: AccessChange): number {
  return order.indexOf(a.kind) - order.indexOf(b.kind) || compareText(labelOf(a), labelOf(b));
}

function labelOf({ way }: AccessChange): string {
  return `${['role', 'method', 'group', 'holder', 'other', 'policy'].indexOf(way.kind)} ${way.method} ${way.name}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

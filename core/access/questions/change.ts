import type { Change } from '../../model/change.ts';
import { type Graph, isWhole } from '../../model/graph.ts';
import { builtInDefault } from '../../model/policies/default-policy.ts';
import { Budget } from '../../model/values/budget.ts';
import { formatInstant } from '../../model/values/instant.ts';
import { nameKey, policyKey } from '../../model/values/name-key.ts';
import {
  type AccessChange,
  AccessKind,
  type Answer,
  type Principals,
  strongest,
  unchanged,
} from '../access-change.ts';
import { administeringGroups, administration } from '../administration.ts';
import { AnyRest, type OpenGain } from '../any-rest.ts';
import { uncertainOf } from '../bearing.ts';
import { decide, type PathChange, type PathDecision, type Tokens } from '../decide.ts';
import type { Source } from '../grants.ts';
import { unique } from '../graph-index.ts';
import { type PolicySides, policySides } from '../policy-sides.ts';
import { type PrincipalsOfChange, principalsOf } from '../principals.ts';
import { RuleBook } from '../rule-book.ts';
import { witnessOf } from '../sign-in/population.ts';

/** What a change does to who can do what. */
export interface AccessDecision {
  /** New sign-in paths first, closed ones last. */
  changes: AccessChange[];
  /** Whether principals gain: `none` only if it holds whatever else the service holds. */
  gains: Answer;
  /** Whether principals lose, of those that are known. */
  losses: Answer;
  /** What is missing to judge the change as a whole, in words. */
  uncertain: string[];
  /** What the answer leaves open, as it was not looked at: `other principals with policy "ops"`. */
  unseen: string[];
  /** The policies that any principals have, in lower case. */
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
  const found = principalsOf(change);
  const here = all(found);
  const held = {
    before: new Set(here.flatMap(({ source }) => source.before)),
    after: new Set(here.flatMap(({ source }) => source.after)),
  };
  const elsewhere = withPolicy(before, after);
  const names = unique(
    [...here, ...elsewhere].flatMap(({ source, moves }) =>
      [source, ...moves].flatMap((one) => [...one.before, ...one.after]),
    ),
  );
  const sides = policySides(names, before.policies, after.policies);
  const book = new RuleBook(sides, now);
  const unheld = elsewhere.filter(
    ({ source: { name, before: had } }) => had.length > 0 && !held.before.has(name) && !held.after.has(name),
  );
  const decision = decide(
    [...tokensOf(found), { roles: sourcesOf(unheld), groups: [] }],
    book,
    administration,
  );
  const joining = here.flatMap(({ change, source: { after: policies }, joins: groups = [] }) =>
    groups.length === 0 ? [] : [{ change, policies, groups }],
  );
  const administering = administeringGroups(joining, after, now, new Budget());
  for (const [{ change }, by] of administering.found) change.administersBy = by;
  const isClosed = isWhole(before) && isWhole(after);
  const open = isClosed ? new Map() : openGains([...here, ...elsewhere], new AnyRest(book));
  const changes = assembled([...here, ...elsewhere], decision, sides, open).sort(compareChanges);
  const uncertain = [
    ...(administering.missing === undefined ? [] : [administering.missing]),
    ...decision.undecided.flatMap(({ by, missing }) => (by === undefined ? [missing] : [])),
    ...[...open.values()].flatMap((one) => (one.by === 'budget' ? [one.missing] : [])),
    ...uncertainOf(change.unknown),
  ];
  const unseen = isClosed ? [] : [...new Set([...unseenWords(open, sides), ...found.unseen])];
  const answer = (side: 'gains' | 'losses', isOpen: boolean) =>
    strongest([...(isOpen ? ['unknown' as const] : []), ...changes.map((one) => one[side])]);
  const roles = [...before.roles, ...after.roles].map(({ method, name }) => `${method} ${nameKey(name)}`);
  const mayGain = open.size > 0 || found.unseen.length > 0;
  return {
    changes,
    gains: answer('gains', uncertain.length > 0 || (unseen.length > 0 && mayGain)),
    losses: answer('losses', uncertain.length > 0),
    uncertain: [...new Set(uncertain)],
    unseen,
    held,
    over: {
      roles: new Set(roles).size,
      groups: here.filter(({ source }) => ['alias', 'group', 'entity'].includes(source.kind)).length,
      paths: decision.paths,
    },
  };
}

function all({ mounts, newcomers, identities, others }: PrincipalsOfChange): Principals[] {
  const ofMounts = [...mounts.values()];
  return [
    ...newcomers,
    ...ofMounts.flatMap(({ roles }) => roles),
    ...ofMounts.flatMap(({ groups }) => groups),
    ...others,
    ...identities,
  ];
}

/** Tokens that can be had: by each role of a method, in any groups of it, and with whatever an entity brings along. */
function tokensOf({ mounts, newcomers, identities, others }: PrincipalsOfChange): Tokens<Source>[] {
  const known = sourcesOf(identities);
  return [
    ...[...mounts.values()].map(({ roles, groups }) => ({
      roles: sourcesOf(roles),
      groups: [...sourcesOf(groups), ...known],
    })),
    // New principals had nothing before, by no group either: what they gain are the policies as they are.
    { roles: sourcesOf([...newcomers, ...others]), groups: [] },
    // They may sign in by a method that is not here, and then have nothing of its roles.
    { roles: [], groups: known },
  ].filter(({ roles, groups }) => roles.length + groups.length > 0);
}

function sourcesOf(principals: readonly Principals[]): Source[] {
  return principals.map(({ source }) => source);
}

/** Those who hold a policy by a grant that is not here. */
function withPolicy({ policies: before }: Graph, { policies: after }: Graph): Principals[] {
  const [was, is] = [before, after].map((list) => new Set(list.map(({ name }) => policyKey(name))));
  return [...new Set([...(was ?? []), ...(is ?? [])])].sort().map((name) => {
    const source: Source = {
      kind: 'policy',
      by: `other principals with policy ${JSON.stringify(name)}`,
      name,
      before: was?.has(name) ? [name] : [],
      after: is?.has(name) ? [name] : [],
    };
    // A role elsewhere may name a policy before it is made.
    const both = { before: [name], after: [name] };
    return { source, change: unchanged('changed', source), moves: [both] };
  });
}

/** What may be gained by each of them with what else they hold, which is not known. */
function openGains(principals: readonly Principals[], rest: AnyRest): Map<Principals, OpenGain> {
  return new Map(
    principals.flatMap((one) => {
      const found = one.moves.flatMap((held) => rest.mayGain(held) ?? []);
      const worst = ['denial', 'unread', 'budget', 'rule'].flatMap(
        (by) => found.find((gain) => gain.by === by) ?? [],
      )[0];
      return worst === undefined ? [] : [[one, worst] as const];
    }),
  );
}

/** Of what nobody decided what it gives these principals. */
function missingOf(gain: OpenGain, source: Source): string[] {
  if (gain.by === 'unread') return [gain.missing];
  if (gain.by !== 'denial') return [];
  return [`what else ${wordsOf(source)} hold: a denial on ${JSON.stringify(gain.pattern)} goes`];
}

/** Who else may gain or lose, and was not looked at. */
function unseenWords(
  open: ReadonlyMap<Principals, OpenGain>,
  sides: ReadonlyMap<string, PolicySides>,
): string[] {
  const changed = [...sides].flatMap(([name, { isSame }]) =>
    isSame ? [] : [`other principals with policy ${JSON.stringify(name)}`],
  );
  return [
    ...changed,
    ...[...open.keys()].flatMap(({ source }) =>
      source.kind === 'policy' ? [] : [`other grants of ${source.by}`],
    ),
  ];
}

/** The principals with what becomes of their paths; those without a change are left out. */
function assembled(
  principals: readonly Principals[],
  decision: PathDecision<Source>,
  sides: ReadonlyMap<string, PolicySides>,
  open: ReadonlyMap<Principals, OpenGain>,
): AccessChange[] {
  // What every token may do for itself is said by the name `default`, as long as that policy is not written.
  const builtIn = new Set(isBuiltIn(sides.get('default')) ? builtInDefault().map(({ path }) => path) : []);
  const changes = Map.groupBy(decision.changes, ({ by }) => by);
  const undecidedBy = Map.groupBy(decision.undecided, ({ by }) => by);
  const withGain = new Set(
    decision.changes.flatMap(({ direction, by }) => (direction === 'gained' ? [by, ...by.before] : [])),
  );
  return principals.flatMap((one) => {
    const { change, source, population } = one;
    const found = changes.get(source) ?? [];
    const undecided = undecidedBy.get(source) ?? [];
    const openGain = open.get(one);
    // Where a gain is shown, there is no more to be said of the same policy or grant.
    const isShown = withGain.has(source) || (source.kind === 'policy' && withGain.has(source.name));
    const missing = openGain === undefined || isShown ? [] : missingOf(openGain, source);
    const effects = [
      ...found.map(({ direction }) => ({ direction, answer: 'some' as const })),
      ...undecided.map(({ direction }) => ({ direction, answer: 'unknown' as const })),
      ...missing.map(() => ({ direction: 'gained' as const, answer: 'unknown' as const })),
      ...change.also.flatMap(({ gains, losses }) => [
        { direction: 'gained' as const, answer: gains },
        { direction: 'lost' as const, answer: losses },
      ]),
    ];
    const answer = (direction: 'gained' | 'lost', own: Answer) =>
      strongest([
        own,
        ...effects.filter((effect) => effect.direction === direction).map((effect) => effect.answer),
      ]);
    const { gained, lost } = change.policies;
    const isNothing =
      change.kind === AccessKind.changed &&
      effects.length === 0 &&
      change.uncertain.length === 0 &&
      (source.kind === 'policy' || gained.length + lost.length === 0);
    if (isNothing) return [];
    const unread = [...gained, ...lost].filter((name) => {
      const { before, after } = sides.get(name) ?? {};
      return before === undefined || after === undefined;
    });
    // A policy in addition is a gain, whatever it may allow.
    const gains = gained.some((name) => unread.includes(name)) ? 'some' : answer('gained', change.gains);
    const losses = lost.some((name) => unread.includes(name)) ? 'some' : answer('lost', change.losses);
    const token = change.token ?? (gains === 'some' && population ? witnessOf(population()) : undefined);
    return [
      {
        ...change,
        paths: changedPaths(found.filter(({ pattern }) => !builtIn.has(pattern))),
        unread,
        uncertain: [
          ...new Set([
            ...change.uncertain,
            ...undecided.map((undecidedOne) => undecidedOne.missing),
            ...missing,
          ]),
        ],
        gains,
        losses,
        ...(token && { token }),
      },
    ];
  });
}

function wordsOf({ kind, by }: Source): string {
  return kind === 'policy' ? by : `the principals of ${by}`;
}

function isBuiltIn(sides: PolicySides | undefined): boolean {
  return sides?.before === builtInDefault() && sides.after === builtInDefault();
}

/** One entry a pattern, with what is gained and lost there. */
function changedPaths(found: PathDecision<Source>['changes']): AccessChange['paths'] {
  return [...Map.groupBy(found, ({ pattern }) => pattern)]
    .map(([path, changes]) => {
      const of = (wanted: string) =>
        changes.flatMap(({ direction, capabilities }) => (direction === wanted ? capabilities : [])).sort();
      // What shows a gain is told first.
      const first =
        changes.find(({ direction }) => direction === 'gained') ?? (changes[0] as PathChange<Source>);
      const limits = changes.flatMap(({ direction: side, limit, limited: capabilities = [] }) =>
        limit === undefined ? [] : [{ side, limit, capabilities }],
      );
      const administers = [
        ...new Set(changes.flatMap(({ direction, probed }) => (direction === 'gained' ? probed : []))),
      ];
      return {
        path,
        gained: [...new Set(of('gained'))],
        lost: [...new Set(of('lost'))],
        parametersChange: limits.length > 0,
        ...(limits.length > 0 && { limits }),
        ...(administers.length > 0 && { administers }),
        witness: first.path,
        ...(first.from !== undefined && { from: formatInstant(first.from) }),
        ...(first.together.length > 0 && { together: first.together.map(({ by }) => by) }),
      };
    })
    .sort((a, b) => compareText(a.path, b.path));
}

const order: AccessKind[] = ['opened', 'widened', 'changed', 'narrowed', 'closed'];
const kinds: Source['kind'][] = ['role', 'method', 'alias', 'group', 'entity', 'other', 'policy'];

function compareChanges(a: AccessChange, b: AccessChange): number {
  return order.indexOf(a.kind) - order.indexOf(b.kind) || compareText(labelOf(a), labelOf(b));
}

function labelOf({ principals: { kind, method, name } }: AccessChange): string {
  return `${kinds.indexOf(kind)} ${method} ${name}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

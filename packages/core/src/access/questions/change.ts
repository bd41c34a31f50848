import { type Change, type UnmodeledEffect, unmodeledEffects } from '../../graph/change.ts';
import { isWhole } from '../../graph/graph.ts';
import { type Bearing, bearsOnNothing } from '../../graph/resources/field.ts';
import { resourceNamed } from '../../graph/resources/resources.ts';
import type { Subject } from '../../graph/subject.ts';
import { defined } from '../../graph/values/loose-values.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import {
  type AccessChange,
  type AccessKind,
  type Answer,
  type Principals,
  strongest,
} from '../access-change.ts';
import { administeringGroups, administration, administrators } from '../administration.ts';
import { anyRest, type OpenGain } from '../any-rest.ts';
import { bothDirections, decide, type PathChange, type PathDecision, type Tokens } from '../decide.ts';
import { byPolicy, type PolicyLists } from '../grants.ts';
import { unique } from '../graph-index.ts';
import type { Direction } from '../match-change.ts';
import { outcomesOf, someIf, withoutAdministrators, withoutMembers } from '../outcomes.ts';
import { isOwn, ownPaths } from '../own-default.ts';
import { PathCauses } from '../path-cause.ts';
import { type PolicySides, policySides } from '../policy-sides.ts';
import { everyPrincipal, type PrincipalsOfChange, principalsOf, unseenPrincipals } from '../principals.ts';
import { type Reason, uniqueReasons } from '../reasons/reason.ts';
import { type RolesOf, rolesOfGroups } from '../roles-of-groups.ts';
import { RuleBook } from '../rule-book.ts';
import { witnessOf } from '../sign-in/population.ts';
import { type Life, longest } from '../sign-in/token-life.ts';
import { isLimit, liftedLimit } from '../sign-in/token-limits.ts';
import { byWholeTokens } from '../whole-tokens.ts';

/** What a change does to who can do what. */
export interface AccessDecision {
  /** New sign-in paths first, closed ones last. */
  changes: AccessChange[];
  /** Whether principals gain requests: `none` only if it holds whatever else the service holds. */
  gains: Answer;
  /** Whether known principals lose requests. */
  losses: Answer;
  /** What becomes of how long known tokens live. */
  life: Life;
  /** What is missing to judge the change as a whole. */
  uncertain: Reason[];
  /** Whether the whole service was read: it holds for all that can sign in, and all token roles. */
  isWhole: boolean;
  /** What the answer leaves open, as it was not looked at. */
  unseen: Reason[];
  /** The policies that any principals have, in lower case. */
  held: Record<'before' | 'after', ReadonlySet<string>>;
  /** Whether anyone had access before who could not give themselves any. */
  readonly isSetUp: boolean;
  /** Over what it was decided. */
  over: {
    roles: number;
    groups: number;
    /** Roles and users of other auth methods, and token roles. */
    otherPrincipals: number;
    paths: number;
  };
}

/**
 * Who gains and who loses which access by a change (docs/inside/access.md).
 *
 * @param now nanoseconds since 1970: rules of policies may expire
 * @param directions those that are looked for. Defaults to both: without `lost`, the answer says nothing of losses.
 */
export function decideAccess(
  change: Change,
  now: bigint,
  directions: readonly Direction[] = bothDirections,
): AccessDecision {
  const { before, after } = change;
  const found = principalsOf(change);
  const here = [...new Set(everyPrincipal(found))];
  const held = {
    before: new Set(here.flatMap((one) => one.before.filter((name) => !isLimit(name)))),
    after: new Set(here.flatMap((one) => one.after.filter((name) => !isLimit(name)))),
  };
  const isClosed = isWhole(before) && isWhole(after);
  const elsewhere = isClosed ? [] : unseenPrincipals(before, after);
  const everyone = [...here, ...elsewhere];
  const lists = everyone.flatMap((one) => [one, ...one.forAnyRest]);
  const sides = policySides(unique(lists.flatMap((list) => [...list.before, ...list.after])), before, after);
  const book = new RuleBook(sides, now);
  const isAdministrator = administrators(new Set(sides.keys()), book, 'before');
  const having = byPolicy(here, ({ before, after }) => new Set([...before, ...after]));
  const isHeld = (name: string) => having.has(name);
  // Those who have it here stand for others, but for administrators: to others, administration may be new.
  const isOthers = (name: string) =>
    !isHeld(name) ||
    (!sides.get(name)?.isSame && (having.get(name) ?? []).every((one) => isAdministrator(one.before)));
  const unheld = elsewhere.filter(({ name, before: had }) => had.length > 0 && isOthers(name));
  const decided = decide(
    [...tokensOf(found, isClosed), { roles: unheld, groups: [] }],
    book,
    administration,
    isAdministrator,
    directions,
  );
  const isTold = ({ by, probed = [] }: { by?: Principals; probed?: string[] }) =>
    by?.kind !== 'policy' || !isHeld(by.name) || probed.length > 0;
  const decision = {
    ...decided,
    changes: withoutAdministrators(
      byWholeTokens(decided, book, administration, isAdministrator, directions).filter(isTold),
      [isAdministrator, administrators(new Set(sides.keys()), book, 'after')],
    ),
    undecided: decided.undecided.filter(isTold),
  };
  const administering = administeringGroups(here, after, now, isAdministrator);
  for (const [{ change: of }, by] of administering.found) of.administersBy = by;
  const own = isOwn(book.sidesOf('default')) ? 'default' : undefined;
  const gainsLeftOpen: OpenGains = isClosed ? new Map() : openGains(everyone, book, own);
  const rolesOf = rolesOfGroups(found, decided, [before, after]);
  const changes = assembled(everyone, { ...decision, rolesOf }, book, gainsLeftOpen)
    .map((one) => withoutGuess(one, change.unknown))
    .sort(compareChanges);
  const unknownLife = change.unknown.some(isOfLife) ? (['unknown'] as const) : [];
  const uncertain = [
    ...(administering.missing === undefined ? [] : [administering.missing]),
    ...decision.undecided.flatMap(({ by, missing }) => (by === undefined ? [missing] : [])),
    ...[...gainsLeftOpen.values()].flatMap((one) => (one.by === 'budget' ? [one.missing] : [])),
    ...uncertainOf(change.unknown.filter((one) => !isOfLife(one))),
    ...found.reached.uncertain,
  ];
  const { inSight, elsewhere: notExcluded, mayLose } = unmodeledReasons(change);
  const unread = (change.missing ?? []).map((what): Reason => ({ kind: 'not-read', what }));
  const reached = [...found.reached.elsewhere, ...notExcluded];
  const beyond = isClosed ? reached : [...unseenIn(gainsLeftOpen, sides), ...reached, ...unread];
  const answer = (side: 'gains' | 'losses', isOpen: boolean) =>
    strongest([...(isOpen ? ['unknown' as const] : []), ...changes.map((one) => one[side])]);
  const roles = [...before.roles, ...after.roles].map(({ method, name }) => `${method} ${nameKey(name)}`);
  const mayGain = gainsLeftOpen.size > 0 || reached.length > 0;
  return {
    changes,
    gains: answer(
      'gains',
      uncertain.length + inSight.length > 0 || (beyond.length > 0 && (isClosed || mayGain)),
    ),
    losses: answer('losses', uncertain.length > 0 || mayLose),
    life: longest([...unknownLife, ...changes.map((one) => one.life)]),
    uncertain: uniqueReasons([...uncertain, ...inSight]),
    isWhole: isClosed,
    unseen: uniqueReasons([...beyond, ...unread]),
    held,
    get isSetUp() {
      return here.some((one) => one.before.length > 0 && !isAdministrator(one.before));
    },
    over: {
      roles: new Set(roles).size,
      groups: here.filter(({ kind }) => ['alias', 'group', 'entity'].includes(kind)).length,
      otherPrincipals: here.filter(
        ({ kind, partOf, before: had, after: has }) =>
          kind === 'other' && partOf === undefined && had.length + has.length > 0,
      ).length,
      paths: decision.paths,
    },
  };
}

/** Tokens that can be had: by each role of a method, in any groups of it, and with whatever an entity brings along. */
function tokensOf(
  { mounts, newcomers, identities, otherPrincipals }: PrincipalsOfChange,
  isClosed: boolean,
): Tokens<Principals>[] {
  return [
    ...[...mounts.values()].flatMap(({ roles, groups, isMade = false }) => {
      // Where all aliases are known, those of entities are among the groups of their mounts.
      const anywhere = isClosed && !isMade ? identities.filter(({ isAnywhere }) => isAnywhere) : identities;
      const all = { roles, groups: [...groups, ...anywhere] };
      const bound = Map.groupBy(roles, ({ required }) => required);
      return roles.length === 0
        ? all
        : [...bound]
            .map(([required, some]) => ({ ...all, roles: some, ...(required && { required }) }))
            .flatMap(byAlias);
    }),
    // New principals had nothing before, by no group either: what they gain are the policies as they are.
    { roles: [...newcomers, ...otherPrincipals], groups: [] },
    // They may sign in by a method that is not here, and then have nothing of its roles.
    { roles: [], groups: identities },
  ];
}

/** Users with an alias each that are looked at one by one. If there are more, each may have any alias. */
const mostUsers = 500;

/** A user has the alias of its own name, and no other. */
function byAlias(tokens: Tokens<Principals>): Tokens<Principals>[] {
  const aliases = Map.groupBy(tokens.groups, ({ alias }) => alias);
  const nameOf = ({ alias }: Principals) => (alias === undefined || aliases.has(alias) ? alias : '');
  const users = Map.groupBy(tokens.roles, nameOf);
  if (users.size > mostUsers) return [tokens];
  const groupsOf = (alias: string) => [undefined, alias].flatMap((name) => aliases.get(name) ?? []);
  return [...users].map(([alias, roles]) =>
    alias === undefined ? { ...tokens, roles } : { ...tokens, roles, groups: groupsOf(alias) },
  );
}

type OpenGains = ReadonlyMap<Principals, OpenGain>;

/**
 * What each of them may gain with whatever else they have, which is not known: the worst of it.
 *
 * @param own a policy that allows only what is a token's own: where it goes, only a rule over the tokens, leases and
 * identities of all may decide instead, and who has one administers the service
 */
function openGains(principals: readonly Principals[], book: RuleBook, own?: string): OpenGains {
  const withRest = anyRest(book);
  const mayGain = ({ before, after }: PolicyLists) =>
    withRest({ before: before.filter((name) => name !== own || after.includes(name)), after });
  return new Map(
    principals.flatMap((one) => {
      const found = one.forAnyRest.flatMap((list) => mayGain(list) ?? []);
      const [worst] = (['denial', 'unread', 'budget', 'limit', 'rule'] as const).flatMap((by) =>
        found.filter((gain) => gain.by === by),
      );
      return worst === undefined ? [] : [[one, worst] as const];
    }),
  );
}

/** What is missing to say whether principals gain by it. */
function missingBy(gain: OpenGain, { by }: Principals): Reason[] {
  if (gain.by === 'unread') return [gain.missing];
  return gain.by === 'denial' ? [{ kind: 'denial-gone', pattern: gain.pattern, by }] : [];
}

/** Who else may gain or lose, and was not looked at. */
function unseenIn(gainsLeftOpen: OpenGains, sides: ReadonlyMap<string, PolicySides>): Reason[] {
  return [
    ...[...sides].flatMap(([policy, { isSame }]): Reason[] =>
      isSame ? [] : [{ kind: 'other-principals', policy }],
    ),
    ...[...gainsLeftOpen].flatMap(([one, gain]): Reason[] => {
      const { by, kind } = one;
      const lifted = gain.by === 'limit' ? liftedLimit(one) : undefined;
      if (lifted !== undefined) return [{ kind: 'other-grants', by, lifted }];
      return kind === 'policy' ? [] : [{ kind: 'other-grants', by }];
    }),
  ];
}

/** The principals with what becomes of their paths; without a change they are left out. */
function assembled(
  principals: readonly Principals[],
  decision: PathDecision<Principals> & { rolesOf: RolesOf },
  book: RuleBook,
  gainsLeftOpen: OpenGains,
): AccessChange[] {
  const causes = new PathCauses(book, decision.changes.length);
  // The name `default` tells what every token may do for itself.
  const builtIn = ownPaths(book.sidesOf('default'));
  const changesBy = Map.groupBy(decision.changes, ({ by }) => by);
  const undecidedBy = Map.groupBy(decision.undecided, ({ by }) => by);
  const withGain = new Set<Principals | string>(
    decision.changes.flatMap(({ direction, by }) => (direction === 'gained' ? [by, ...by.before] : [])),
  );
  const gaining = new Set<Principals>();
  const losing = new Set<Principals>();
  const changed = principals.flatMap((one) => {
    const { change, kind, population, partOf } = one;
    const all = changesBy.get(one) ?? [];
    // Another pick has what one of them loses.
    const found = all.filter(({ direction }) => !partOf || direction === 'gained');
    const mayLose = partOf !== undefined && found.length < all.length && !losing.has(partOf);
    const undecided = undecidedBy.get(one) ?? [];
    const openGain = gainsLeftOpen.get(one);
    // Where a gain is shown, nothing is missing for the same policy or grant.
    const isShown = withGain.has(one) || (kind === 'policy' && withGain.has(one.name));
    const missing = openGain === undefined || isShown ? [] : missingBy(openGain, one);
    const { gained, lost } = change.policies;
    const isNothing =
      change.kind === 'changed' &&
      !mayLose &&
      found.length + undecided.length + missing.length + change.also.length + change.uncertain.length === 0 &&
      (kind === 'policy' || gained.length + lost.length === 0);
    if (isNothing) return [];
    const isUnread = (name: string) => {
      const { before, after } = book.sidesOf(name);
      return before === undefined || after === undefined;
    };
    const isHere = ({ pattern }: PathChange<Principals>) => !builtIn.has(pattern);
    const outcomes = outcomesOf(found.filter(isHere), causes);
    const rolesOf = decision.rolesOf(one, outcomes);
    const [first, ...further] = outcomes;
    const shown = new Set(further.flatMap(({ changes }) => changes));
    const answer = (direction: Direction, side: 'gains' | 'losses') =>
      strongest([
        change[side],
        ...change.also.map((also) => also[side]),
        // A policy in addition is a gain, whatever it may allow.
        ...change.policies[direction].filter(isUnread).map(() => 'some' as const),
        ...found.filter((path) => !shown.has(path)).map((path) => someIf(path, direction)),
        ...undecided.map((path) => (path.direction === direction ? 'unknown' : 'none')),
      ]);
    const gains = strongest([answer('gained', 'gains'), missing.length > 0 ? 'unknown' : 'none']);
    const leaving = one.leaves && gains === 'none' ? 'some' : 'none';
    const losses = partOf ? (mayLose ? 'unknown' : 'none') : strongest([leaving, answer('lost', 'losses')]);
    const ofFurther = further.map((outcome) => ({
      ...change,
      also: [],
      groups: [],
      uncertain: [],
      ...defined({ together: outcome.together, byRoles: rolesOf(outcome) }),
      paths: outcome.paths,
      gains: strongest(outcome.changes.map((path) => someIf(path, 'gained'))),
      losses: strongest(outcome.changes.map((path) => someIf(path, 'lost'))),
    }));
    if ([gains, ...ofFurther.map((other) => other.gains)].some((side) => side !== 'none')) gaining.add(one);
    if ([losses, ...ofFurther.map((other) => other.losses)].some((side) => side !== 'none')) losing.add(one);
    if (partOf && !losing.has(one) && (!gaining.has(one) || gaining.has(partOf))) return [];
    const picked: Reason[] = mayLose && one.by.kind === 'picked' ? [{ kind: 'token-picks', by: one.by }] : [];
    const token = change.token ?? (gains === 'some' && population ? witnessOf(population()) : undefined);
    const uncertain = [...change.uncertain, ...undecided.map((path) => path.missing), ...missing, ...picked];
    return [
      {
        ...change,
        ...defined({ together: first?.together, byRoles: rolesOf(first) }),
        paths: first?.paths ?? [],
        unread: [...gained, ...lost].filter(isUnread),
        uncertain: uniqueReasons(uncertain),
        gains,
        losses,
        life: longest(change.also.flatMap(({ life }) => life ?? [])),
        ...(token && { token }),
      },
      ...ofFurther,
    ].map((each) => ({ change: each, by: one }));
  });
  return withoutMembers(changed);
}

/** Whom a role lets in is not said where one of its bounds is unknown. */
function withoutGuess(change: AccessChange, unknown: readonly Subject[]): AccessChange {
  const { kind, method, name } = change.principals;
  const isOpen = ({ type, field = 'policies', ...role }: Subject) =>
    type === kind && role.method === method && nameKey(role.name) === nameKey(name) && field !== 'policies';
  if (kind !== 'role' || !unknown.some((one) => isOpen(one) && bearingOf('role', one.field) === 'access'))
    return change;
  const { whom: _whom, token: _token, ...rest } = change;
  return { ...rest, bounds: { ...rest.bounds, after: 'unknown' } };
}

/** The answers that an unknown field, or an unknown part, may change. Anything that no table has is access. */
export function bearingOf(type: Subject['type'], field?: string): Bearing {
  const fields = resourceNamed(type)?.fields;
  if (fields === undefined) return type === 'service' ? 'nothing' : 'access';
  if (bearsOnNothing(fields)) return 'nothing';
  const [name = ''] = field?.split('.') ?? [];
  return fields[name]?.bearsOn ?? 'access';
}

/** Whether what is not known of a thing says no more than how long tokens live. */
const isOfLife = ({ type, field }: Subject) => bearingOf(type, field) === 'lifetime';

/** Of what is not known of a change or a graph: what bears on access, lifetime or identity. */
export function uncertainOf(unknown: readonly Subject[]): Reason[] {
  return unknown
    .filter(({ type, field }) => bearingOf(type, field) !== 'nothing')
    .map((subject) => ({ kind: 'hidden-field', subject }));
}

/** What no answer works out: where something that trusts it is in sight, and where only no list excludes it. */
export function unmodeledReasons(change: Pick<Change, 'unmodeled'>) {
  const { inSight, elsewhere, mayLose } = unmodeledEffects(change);
  const reasonOf = (effect: UnmodeledEffect): Reason => ({ kind: 'unmodeled', effect });
  return { inSight: inSight.map(reasonOf), elsewhere: elsewhere.map(reasonOf), mayLose };
}

const order: AccessKind[] = ['opened', 'widened', 'changed', 'narrowed', 'closed'];
const kinds: Principals['kind'][] = ['role', 'method', 'alias', 'group', 'entity', 'other', 'policy'];

function compareChanges(a: AccessChange, b: AccessChange): number {
  return order.indexOf(a.kind) - order.indexOf(b.kind) || (labelOf(a) < labelOf(b) ? -1 : 1);
}

function labelOf({ principals: { kind, method, name, picked } }: AccessChange): string {
  return `${kinds.indexOf(kind)} ${method} ${name} ${picked?.policy ?? ''}`;
}

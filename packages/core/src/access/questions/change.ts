import {
  type Change,
  type UnmodeledEffect,
  type UnmodeledPart,
  unmodeledEffects,
} from '../../graph/change.ts';
import { isWhole } from '../../graph/graph.ts';
import { type Bearing, bearsOnNothing } from '../../graph/resources/field.ts';
import { resourceNamed } from '../../graph/resources/resources.ts';
import type { Subject } from '../../graph/subject.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import {
  type AccessChange,
  type AccessKind,
  type Answer,
  type Principals,
  strongest,
} from '../access-change.ts';
import {
  administeringGroups,
  administration,
  administrators,
  type IsAdministrator,
} from '../administration.ts';
import { accessChanges } from '../assemble.ts';
import { bothDirections, decide, type PathChange, type PathDecision, type Tokens } from '../decide.ts';
import { type AskedFillings, decideFilled } from '../filled-tokens.ts';
import { byPolicy } from '../grants.ts';
import { unique } from '../graph-index.ts';
import type { Direction } from '../match-change.ts';
import { type OpenGains, openGains, unseenIn } from '../open-gains.ts';
import { withoutAdministrators } from '../outcomes.ts';
import { isOwn } from '../own-default.ts';
import { withoutMakersOwn } from '../picked-gains.ts';
import { type PolicySides, policySides } from '../policy-sides.ts';
import { everyPrincipal, type PrincipalsOfChange, principalsOf, unseenPrincipals } from '../principals.ts';
import { type Reason, uniqueReasons } from '../reasons/reason.ts';
import { rolesOfGroups } from '../roles-of-groups.ts';
import { RuleBook } from '../rule-book.ts';
import { type Life, longest } from '../sign-in/token-life.ts';
import { isLimit } from '../sign-in/token-limits.ts';
import { byWholeTokens } from '../whole-tokens.ts';
import type { OtherGain } from './credential-gains.ts';
import { otherGains } from './other-gains.ts';

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
  /** Parts of the change that no answer works out. */
  unmodeled: UnmodeledPart[];
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
  const comparison = compared(change, now);
  const { principals, here, book, sides, isClosed, isAdministrator } = comparison;
  const { indexes } = principals;
  const ofPolicies = decidedPaths(comparison, directions);
  const paths = ofPolicies.changes;
  const other = otherGains({ ...change, here, indexes, isClosed, isAdministrator, paths, now, book });
  const everyone = [...withOtherGains(here, other.gains), ...comparison.elsewhere];
  const { decision, missing: unfilled } = withFilled(ofPolicies, comparison, {
    accessors: change.accessors ?? {},
    decideWith: (tokens, policies) =>
      decide(tokens, new RuleBook(policies, now), administration, isAdministrator.before, directions),
  });
  const administering = administeringGroups(here, change.after, now, isAdministrator.before);
  for (const [{ change: ofGroup }, by] of administering.found) ofGroup.administersBy = by;
  const own = isOwn(book.sidesOf('default')) ? 'default' : undefined;
  const gainsLeftOpen: OpenGains = isClosed ? new Map() : openGains(everyone, book, own);
  const rolesOf = rolesOfGroups(principals, decision, [change.before, change.after]);
  const changes = accessChanges(everyone, { ...decision, rolesOf }, book, gainsLeftOpen)
    .map((each) => withoutGuess(each, change.unknown))
    .sort(compareChanges);
  const uncertain = [
    ...(administering.missing === undefined ? [] : [administering.missing]),
    ...decision.undecided.flatMap(({ by, missing }) => (by === undefined ? [missing] : [])),
    ...[...gainsLeftOpen.values()].flatMap((gain) => (gain.by === 'budget' ? [gain.missing] : [])),
    ...uncertainOf(change.unknown.filter((subject) => !isOfLife(subject))),
    ...principals.reached.uncertain,
    ...unfilled,
  ];
  const { unmodeled } = other;
  const { inSight, elsewhere: notExcluded, mayLose } = unmodeledReasons({ unmodeled });
  const unread = (change.missing ?? []).map((what): Reason => ({ kind: 'not-read', what }));
  const reached = [...principals.reached.elsewhere, ...notExcluded];
  const beyond = isClosed ? reached : [...unseenIn(gainsLeftOpen, sides), ...reached, ...unread];
  const mayGain = beyond.length > 0 && (isClosed || gainsLeftOpen.size > 0 || reached.length > 0);
  const answer = (side: 'gains' | 'losses', isOpen: boolean) =>
    strongest([...(isOpen ? ['unknown' as const] : []), ...changes.map((each) => each[side])]);
  const unknownLife = change.unknown.some(isOfLife) ? (['unknown'] as const) : [];
  return {
    changes,
    gains: answer('gains', uncertain.length + inSight.length > 0 || mayGain),
    losses: answer('losses', uncertain.length > 0 || mayLose),
    life: longest([...unknownLife, ...changes.map(({ life }) => life)]),
    uncertain: uniqueReasons([...uncertain, ...inSight]),
    unmodeled,
    isWhole: isClosed,
    unseen: uniqueReasons([...beyond, ...unread]),
    held: { before: heldOn('before', here), after: heldOn('after', here) },
    get isSetUp() {
      return here.some(({ before }) => before.length > 0 && !isAdministrator.before(before));
    },
    over: overOf(change, here, decision.paths),
  };
}

/** The principals, with what they gain by something else; and those who had nothing before. */
function withOtherGains(here: readonly Principals[], gains: readonly OtherGain[]): Principals[] {
  const known = new Map(here.filter(({ partOf }) => !partOf).map((each) => [JSON.stringify(each.by), each]));
  for (const { by, also } of gains) {
    const key = JSON.stringify(by.by);
    const each = getOrMake(known, key, () => by);
    each.change.also.push(also);
  }
  return [...new Set([...here, ...known.values()])];
}

/** Both sides of a change, as they are compared. */
interface Comparison {
  principals: PrincipalsOfChange;
  /** Those of the graphs, each once. */
  here: readonly Principals[];
  /** Those of whom nothing is known but one policy. */
  elsewhere: readonly Principals[];
  sides: ReadonlyMap<string, PolicySides>;
  book: RuleBook;
  /** Whether the whole service is known on both sides. */
  isClosed: boolean;
  isAdministrator: Record<'before' | 'after', IsAdministrator>;
}

function compared(change: Change, now: bigint): Comparison {
  const { before, after } = change;
  const principals = principalsOf(change);
  const here = [...new Set(everyPrincipal(principals))];
  const isClosed = isWhole(before) && isWhole(after);
  const elsewhere = isClosed ? [] : unseenPrincipals(before, after);
  const lists = [...here, ...elsewhere].flatMap((each) => [each, ...each.forAnyRest]);
  const sides = policySides(unique(lists.flatMap((list) => [...list.before, ...list.after])), before, after);
  const book = new RuleBook(sides, now);
  const names = new Set(sides.keys());
  const isAdministrator = {
    before: administrators(names, book, 'before'),
    after: administrators(names, book, 'after'),
  };
  return { principals, here, elsewhere, sides, book, isClosed, isAdministrator };
}

/** What becomes of each path for each token: of all that are known, and of principals elsewhere with one policy. */
function decidedPaths(
  { principals, here, elsewhere, sides, book, isClosed, isAdministrator }: Comparison,
  directions: readonly Direction[],
): PathDecision<Principals> {
  const having = byPolicy(here, ({ before, after }) => new Set([...before, ...after]));
  const isHeld = (name: string) => having.has(name);
  // Those who have it here stand for others, but for administrators: to others, administration may be new.
  const isOthers = (name: string) =>
    !isHeld(name) ||
    (!sides.get(name)?.isSame &&
      (having.get(name) ?? []).every(({ before }) => isAdministrator.before(before)));
  const unheld = elsewhere.filter(({ name, before }) => before.length > 0 && isOthers(name));
  const decision = decide(
    [...tokensOf(principals, isClosed), { roles: unheld, groups: [] }],
    book,
    administration,
    isAdministrator.before,
    directions,
  );
  const isByLeaving = ({ by, together }: PathChange<Principals>) =>
    [by, ...together].some(({ left }) => left);
  const isChosen = (change: PathChange<Principals>) => change.direction === 'lost' && isByLeaving(change);
  const isTold = ({ by, probed = [] }: { by?: Principals; probed?: string[] }) =>
    by?.kind !== 'policy' || !isHeld(by.name) || probed.length > 0;
  const whole = byWholeTokens(decision, book, administration, isAdministrator.before, directions);
  return {
    ...decision,
    changes: withoutAdministrators(
      withoutMakersOwn(
        whole.filter((each) => isTold(each) && !isChosen(each)),
        book,
      ),
      [isAdministrator.before, isAdministrator.after],
    ),
    undecided: decision.undecided.filter(isTold),
  };
}

/** With what names and metadata that fill in templates come to, and for what that is not known. */
function withFilled(
  decision: PathDecision<Principals>,
  { principals, sides: policies, isClosed }: Comparison,
  asked: Pick<AskedFillings, 'accessors' | 'decideWith'>,
): { decision: PathDecision<Principals>; missing: Reason[] } {
  const { reached, indexes } = principals;
  const { fillings } = reached;
  const tokens = fillings.length === 0 ? [] : tokensOf(principals, isClosed);
  const filled = decideFilled({ ...asked, fillings, tokens, indexes, policies, isClosed });
  return {
    decision: {
      ...decision,
      changes: [...decision.changes, ...filled.changes],
      varying: new Set([...decision.varying, ...filled.varying]),
    },
    missing: filled.open,
  };
}

/** The policies that principals have on a side, in lower case. */
function heldOn(side: 'before' | 'after', principals: readonly Principals[]): ReadonlySet<string> {
  return new Set(principals.flatMap((each) => each[side].filter((name) => !isLimit(name))));
}

function overOf(
  { before, after }: Change,
  principals: readonly Principals[],
  paths: number,
): AccessDecision['over'] {
  const roles = [...before.roles, ...after.roles].map(({ method, name }) => `${method} ${nameKey(name)}`);
  const ofOtherKinds = principals.filter(
    (each) =>
      each.kind === 'other' && each.partOf === undefined && each.before.length + each.after.length > 0,
  );
  return {
    roles: new Set(roles).size,
    groups: principals.filter(({ kind, left }) => !left && ['alias', 'group', 'entity'].includes(kind))
      .length,
    otherPrincipals: ofOtherKinds.length,
    paths,
  };
}

/** Tokens that can be had: by each role of a method, in any groups of it, and with whatever an entity brings along. */
function tokensOf(
  { mounts, newcomers, identities, otherPrincipals }: PrincipalsOfChange,
  isClosed: boolean,
): Tokens<Principals>[] {
  return [
    ...[...mounts.values()].flatMap(({ roles, groups, left, made, isMade = false }) => {
      // Where all aliases are known, those of entities are among the groups of their mounts.
      const anywhere = isClosed && !isMade ? identities.filter(({ isAnywhere }) => isAnywhere) : identities;
      const any = { roles, groups: [...groups, ...anywhere] };
      const leaving = { roles, groups: [...any.groups, ...left], directions: ['gained'] as const };
      const ofMade = { roles: made, groups: any.groups };
      return [any, ...(left.length > 0 ? [leaving] : []), ...(made.length > 0 ? [ofMade] : [])].flatMap(
        byRequired,
      );
    }),
    // New principals had nothing before, by no group either: what they gain are the policies as they are.
    { roles: [...newcomers, ...otherPrincipals], groups: [] },
    // They may sign in by a method that is not here, and then have nothing of its roles.
    { roles: [], groups: identities },
  ];
}

/** Roles with the groups that each of their tokens is in, and users with their own aliases. */
function byRequired(tokens: Tokens<Principals>): Tokens<Principals>[] {
  if (tokens.roles.length === 0) return [tokens];
  return [...Map.groupBy(tokens.roles, ({ required }) => required)]
    .map(([required, roles]) => ({ ...tokens, roles, ...(required && { required }) }))
    .flatMap(byAlias);
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
const kinds: Principals['kind'][] = [
  'role',
  'method',
  'alias',
  'group',
  'entity',
  'other',
  'policy',
  'anyone',
];

function compareChanges(a: AccessChange, b: AccessChange): number {
  return order.indexOf(a.kind) - order.indexOf(b.kind) || (labelOf(a) < labelOf(b) ? -1 : 1);
}

function labelOf({ principals: { kind, method, name, picked } }: AccessChange): string {
  return `${kinds.indexOf(kind)} ${method} ${name} ${picked?.policy ?? ''}`;
}

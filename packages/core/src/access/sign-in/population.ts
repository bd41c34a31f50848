import { kindById, recognizeKind } from '../../graph/kinds/kinds.ts';
import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import { isSame } from '../../graph/resources/field.ts';
import type { Role } from '../../graph/resources/role.ts';
import { type AddressRange, addressRange } from '../../graph/values/address-range.ts';
import { Budget } from '../../graph/values/budget.ts';
import { defined } from '../../graph/values/loose-values.ts';
import { inside } from '../../login/claims.ts';
import { type Reason, Undecidable } from '../reasons/reason.ts';
import type { MemberName, Respect } from '../reasons/respect.ts';
import { addressOutside, addressText, overlap } from './address-ranges.ts';
import { type ClaimDemand, claimsWith, type Demand, decidedOr } from './claim-demands.ts';
import { type Condition, ConditionIndex, claim, conditionsOf, type Most } from './conditions.ts';

/** Who a role's trust and bounds let in: a sign-in gets through when it fulfills every condition. */
export interface Population {
  conditions: ConditionIndex;
  /** Who that is in the words of their provider, with all that the role binds; absent where it has none. */
  whom?: ProviderWhom;
  /** Where a sign-in's groups are in its claims; absent where the role reads none. */
  groupsAt?: string;
}

/** Who is let in as the provider calls them, and what is bound in addition. */
export interface ProviderWhom {
  provider: string;
  bounds: Condition[];
}

/** A sign-in that would be let in. */
export interface Witness {
  /** Without times: they are added where a token is made of them. */
  claims: Record<string, unknown>;
  address?: string;
  /** Whose keys sign the token, and by which algorithm where that matters. */
  signedBy?: { keys?: MemberName; algorithm?: string };
  by: 'token' | 'browser';
}

/**
 * Why others are let in than before.
 * - `dropped`: a condition need not be fulfilled. - `value`: a claim may have a value. - `member`: one more of a set is taken.
 * - `more`: a number may be larger.
 */
export type Widening =
  | { kind: 'dropped'; condition: Condition }
  | { kind: 'value'; about: Respect; value: unknown }
  | { kind: 'member'; about: Respect; member: MemberName }
  | { kind: 'more'; before: Condition; after: Condition }
  | { kind: 'address'; address: string };

export type Inclusion =
  | { answer: 'yes' }
  /** `because`: what need not be fulfilled; `witness`: is in the one and not in the other. */
  | { answer: 'no'; because: Widening; witness: Witness }
  /** `missing`: the one thing that is missing. */
  | { answer: 'unknown'; missing: Reason };

/** Who a role's trust and bounds let in. Without its method, what the method trusts is one thing that is not known. */
export function populationOf(role: Role, method: AuthMethod | undefined): Population {
  const { groupsClaim } = role;
  const conditions = new ConditionIndex(conditionsOf(role, method));
  return defined({ conditions, whom: whomOf(role, method), groupsAt: groupsClaim || undefined });
}

/** Who a role lets in in the words of its provider, then all that it binds in addition. */
function whomOf(role: Role, method: AuthMethod | undefined): ProviderWhom | undefined {
  const kind = method && recognizeKind(method, [role]);
  const whom = kind && kindById(kind).whom?.(role, method.config);
  if (whom === undefined) return undefined;
  const boundClaims = Object.fromEntries(
    Object.entries(role.boundClaims ?? {}).filter(([name]) => !whom.claims.includes(name)),
  );
  const rest = { ...role, boundClaims, boundSubject: whom.subject ? undefined : role.boundSubject };
  return { provider: whom.words, bounds: boundsIn(conditionsOf(rest, method)) };
}

function boundsIn(conditions: readonly Condition[]): Condition[] {
  return conditions.filter(({ part }) => part === 'bound');
}

/** The part of a population that the provider says is in the groups of all these names. */
export function inGroups(population: Population, names: readonly string[]): Population {
  const { groupsAt, conditions } = population;
  if (groupsAt === undefined) return population;
  const groupClaims = names.map((name) => claim(groupsAt, { asks: 'one of', bound: [name], isGlob: false }));
  return { ...population, conditions: new ConditionIndex([...conditions.all, ...groupClaims]) };
}

/** All that a role binds; nothing for all whom the provider lets in. */
export function boundsOf({ conditions }: Population): Condition[] {
  return boundsIn(conditions.all);
}

/**
 * A sign-in that a population lets in, in groups of these names if its role reads groups; undefined where no one can be
 * in it, or where that cannot be decided.
 */
export function witnessOf(
  population: Population,
  groups: readonly string[] = [],
  budget = new Budget(),
): Witness | undefined {
  return decidedOr(
    () => witness(inGroups(population, groups).conditions, budget),
    () => undefined,
  );
}

/** @throws Undecidable */
function witness(conditions: ConditionIndex, budget: Budget): Witness | undefined {
  const claims = claimsWith(conditions.demands, undefined, conditions.isByToken, budget);
  if (claims === undefined) return undefined;
  const keys = conditions.accepted({ of: 'signing-keys' }, 'members')?.members[0]?.shown;
  const signedBy = keys && { keys };
  const address = conditions.accepted({ of: 'source-address' }, 'addresses')?.cidrs[0]?.replace(/\/.*/, '');
  return defined<Witness>({ claims, address, signedBy, by: conditions.isByToken ? 'token' : 'browser' });
}

/** The same sign-in with another value of the claim that a demand is on, one that it refuses; undefined if there is none. */
function refusedBy(
  wanted: ClaimDemand,
  inner: ConditionIndex,
  sample: Witness,
  budget: Budget,
): Witness | undefined {
  const [name = ''] = wanted.at;
  const near = inner.demandsOn(name);
  budget.spend(near.length, 'bounds');
  const other = claimsWith(near, wanted, inner.isByToken, budget);
  if (other === undefined) return undefined;
  budget.spend(Object.keys(sample.claims).length, 'bounds');
  const { [name]: _, ...claims } = sample.claims;
  return { ...sample, claims: { ...claims, ...other } };
}

/**
 * Whether everyone in `inner` is in `outer`.
 *
 * Every condition of `outer` is tried by itself: `inner` lets in others only if one of them refuses a sign-in that
 * fulfills all of `inner`. Keys, claims, address and the like are independent of each other, so one that differs is enough.
 * Exact for what packages/core/src/login asks; unknown where values have no order, or would take too long.
 *
 * @param budget of what is decided with it
 */
export function inclusion(one: Population, other: Population, budget = new Budget()): Inclusion {
  const [inner, outer] = [one.conditions, other.conditions];
  const demanded = outer.all.filter(
    ({ about, accepts }) => !inner.about(about).some((given) => isSame(given.accepts, accepts)),
  );
  const unordered = inner.all.flatMap(({ about, accepts }) =>
    accepts.kind === 'exactly' && outer.accepted(about, 'exactly') === undefined
      ? [{ kind: 'unordered' as const, about }]
      : [],
  );
  const areSame = demanded.length + unordered.length === 0 && inner.all.length === outer.all.length;
  if (areSame) return { answer: 'yes' };
  const missing: Reason[] = [];
  const tried = <Value>(decide: () => Value) =>
    decidedOr<Value | undefined>(decide, (reason) => {
      missing.push(reason);
      return undefined;
    });
  const sample = tried(() => witness(inner, budget));
  // No one is in it.
  if (sample === undefined && missing.length === 0) return { answer: 'yes' };
  for (const wanted of demanded) {
    const past = tried(() => pastCondition(wanted, inner, sample, budget));
    if (past !== undefined) return { answer: 'no', ...past };
  }
  const [first] = [...missing, ...unordered];
  return first === undefined ? { answer: 'yes' } : { answer: 'unknown', missing: first };
}

interface PastCondition {
  because: Widening;
  witness: Witness;
}

/** A sign-in that `inner` lets in and a condition does not; `sample` is one that it lets in, whatever the condition. */
function pastCondition(
  wanted: Condition,
  inner: ConditionIndex,
  sample: Witness | undefined,
  budget: Budget,
): PastCondition | undefined {
  const { about, accepts } = wanted;
  if (accepts.kind === 'exactly') throw new Undecidable({ kind: 'unordered', about });
  const [first] = inner.about(about);
  const given = first?.accepts;
  const dropped = { kind: 'dropped', condition: wanted } as const;
  if (given === undefined && wanted.part === 'trust' && inner.unknown !== undefined)
    throw new Undecidable({ kind: 'unordered', about: inner.unknown.about });
  if (sample === undefined) return undefined;
  switch (accepts.kind) {
    case 'claim': {
      const found = refusedBy(accepts, inner, sample, budget);
      return found && { because: claimPast(wanted, accepts, inner, found), witness: found };
    }
    case 'up to':
      if (first === undefined || given?.kind !== 'up to' || isAtMost(given.most, accepts.most))
        return undefined;
      return { because: { kind: 'more', before: wanted, after: first }, witness: sample };
    case 'addresses': {
      const address = addressPast(accepts.cidrs, given?.kind === 'addresses' ? given.cidrs : undefined);
      if (address === undefined) return undefined;
      const because = given === undefined ? dropped : ({ kind: 'address', address } as const);
      return { because, witness: { ...sample, address } };
    }
    case 'members': {
      if (given?.kind !== 'members')
        return accepts.isSingle ? { because: dropped, witness: sample } : undefined;
      const known = new Set(accepts.members.map(({ id }) => id));
      const unlisted = given.members.find(({ id }) => !known.has(id));
      if (unlisted !== undefined) return withMember(about, unlisted.shown, sample);
      const ids = new Set(given.members.map(({ id }) => id));
      const isLess = accepts.members.some(({ id }) => !ids.has(id));
      if (isLess && accepts.hasNoOrder && given.hasNoOrder)
        throw new Undecidable({ kind: 'unordered', about });
      return undefined;
    }
  }
}

const isAtMost = (most: Most, limit: Most) =>
  limit === 'unlimited' || (most !== 'unlimited' && most <= limit);

/** A sign-in that shows one more member of a set. */
function withMember(about: Respect, member: MemberName, sample: Witness): PastCondition {
  const because = { kind: 'member', about, member } as const;
  if (about.of === 'signing-keys') return { because, witness: { ...sample, signedBy: { keys: member } } };
  if (about.of !== 'signing-algorithm' || !('text' in member)) return { because, witness: sample };
  return { because, witness: { ...sample, signedBy: { ...sample.signedBy, algorithm: member.text } } };
}

/**
 * An address that is not in the ranges that were wanted.
 *
 * @throws Undecidable for a range that cannot be read, unless it is on both sides
 */
function addressPast(wanted: string[], given: string[] | undefined): string | undefined {
  const outer = readRanges(wanted);
  const known = new Set(wanted);
  const unlisted = given && readRanges(given.filter((cidr) => !known.has(cidr)));
  // Where no address is bound: examples first that people know as such.
  const examples = ['192.0.2.1', '2001:db8::1', '0.0.0.0/0', '::/0'].map((text) => readRanges([text]).ranges);
  const past = (unlisted ? [unlisted.ranges] : examples)
    .map((ranges) => addressOutside(outer.ranges, ranges))
    .find((found) => found !== undefined);
  if (past !== undefined && (unlisted === undefined || outer.strange === undefined)) return addressText(past);
  const strange = unlisted?.strange ?? (past === undefined ? undefined : outer.strange);
  if (strange !== undefined) throw new Undecidable({ kind: 'unreadable-addresses', range: strange });
  return undefined;
}

function readRanges(cidrs: string[]): { ranges: AddressRange[]; strange?: string | undefined } {
  const read = cidrs.map(addressRange);
  return {
    ranges: read.filter((range): range is AddressRange => range !== undefined),
    strange: cidrs.find((_, at) => read[at] === undefined),
  };
}

/** Whether a demand is for certain values. */
const asksForValue = ({ asks }: Demand) => ['equal', 'one of', 'one of several'].includes(asks);
/** Whether a demand is a bound of its role: for certain values, or for none. */
const isBinding = (demand: Demand) => asksForValue(demand) || demand.asks === 'no values';

function claimPast(
  wanted: Condition,
  { at, demand }: ClaimDemand,
  inner: ConditionIndex,
  { claims }: Witness,
): Widening {
  const { about } = wanted;
  const value = at.reduce<unknown>(inside, claims);
  // What asks for no certain value takes any: another value shows nothing.
  const isOther =
    (!asksForValue(demand) && about.of !== 'policies') ||
    inner.about(about).some(({ accepts }) => accepts.kind !== 'claim' || isBinding(accepts.demand));
  if (value === undefined || !isOther) return { kind: 'dropped', condition: wanted };
  return { kind: 'value', about, value: Array.isArray(value) && value.length === 1 ? value[0] : value };
}

/** Whether no one can be in both, though each lets in someone. */
export function isDisjoint(first: Population, second: Population, budget = new Budget()): boolean {
  const [one, another] = [first.conditions, second.conditions];
  const areApart = one.all.some(({ about, accepts }) => {
    if (accepts.kind === 'members' && accepts.isSingle) {
      const otherMembers = another.accepted(about, 'members')?.members ?? [];
      const ids = new Set(accepts.members.map(({ id }) => id));
      return ids.size > 0 && otherMembers.length > 0 && !otherMembers.some(({ id }) => ids.has(id));
    }
    if (accepts.kind !== 'addresses') return false;
    const otherCidrs = another.accepted(about, 'addresses')?.cidrs;
    return otherCidrs !== undefined && !mayOverlap(accepts.cidrs, otherCidrs);
  });
  const areSplit = () => {
    if (witness(one, budget) === undefined || witness(another, budget) === undefined) return false;
    return areApart || witness(new ConditionIndex([...one.all, ...another.all]), budget) === undefined;
  };
  return decidedOr(areSplit, () => areApart);
}

/** Whether an address may be in both: any may be in a range that cannot be read. */
function mayOverlap(one: string[], another: string[]): boolean {
  const [some, otherRanges] = [readRanges(one), readRanges(another)];
  if (some.strange !== undefined || otherRanges.strange !== undefined)
    return one.length > 0 && another.length > 0;
  return overlap(some.ranges, otherRanges.ranges);
}

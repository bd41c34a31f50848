import { inside } from '../../login/claims.ts';
import { kindById, recogniseKind } from '../../model/kinds/kinds.ts';
import type { AuthMethod } from '../../model/resources/auth-method.ts';
import { isSame } from '../../model/resources/field.ts';
import type { Role } from '../../model/resources/role.ts';
import { type AddressRange, addressBeside, addressRange, addressText } from './address-ranges.ts';
import { type ClaimDemand, claimsWith } from './claim-demands.ts';
import { type Accepted, type Condition, claim, conditionsOf, notKnown, quoted } from './conditions.ts';
import { Undecided } from './glob-texts.ts';

/** Who a role's trust and bounds let in: a sign-in gets through when it fulfills every condition. */
export interface Population {
  conditions: Condition[];
  /** Who that is in the words of their provider: `any branch of repository 42`; absent where it has none. */
  whom?: string;
  /** Where a sign-in's groups are in its claims; absent where the role reads none. */
  groupsAt?: string;
}

/** A sign-in that would be let in. */
export interface Witness {
  /** Without times: whoever makes a token of them adds those. */
  claims: Record<string, unknown>;
  address?: string;
  /** Whose keys sign the token, in words. */
  signedBy?: string;
  by: 'token' | 'browser';
}

export type Inclusion =
  | { answer: 'yes' }
  /** `because`: what somebody need not fulfill, in words; `witness`: is in the one and not in the other. */
  | { answer: 'no'; because: string; witness: Witness }
  /** `missing`: the one thing that is missing, in words. */
  | { answer: 'unknown'; missing: string };

/** Who a role's trust and bounds let in. Without its method, what the method trusts is one thing that is not known. */
export function populationOf(role: Role, method: AuthMethod | undefined): Population {
  const { groupsClaim } = role;
  const kind = method && recogniseKind(method, [role]);
  const whom = kind && kindById(kind).whom?.(role, method.config);
  return {
    conditions: conditionsOf(role, method),
    ...(whom === undefined ? {} : { whom }),
    ...(groupsClaim ? { groupsAt: groupsClaim } : {}),
  };
}

/** Those of a population who the provider says are in the groups of all these names. */
export function inGroups(population: Population, names: readonly string[]): Population {
  const { groupsAt, conditions } = population;
  if (groupsAt === undefined) return population;
  const more = names.map((name) =>
    claim(groupsAt, { asks: 'one of', bound: [name], isGlob: false }, quoted([name])),
  );
  return { ...population, conditions: [...conditions, ...more] };
}

/**
 * In words: `claim sub "x", audience "y"`, with whom the provider means by that before it; empty for whoever the provider
 * lets in.
 */
export function populationWords({ conditions, whom }: Population): string {
  const bounds = conditions
    .filter(({ part }) => part === 'bound')
    .map(({ on, words }) => `${on} ${words}`)
    .join(', ');
  return whom === undefined ? bounds : `${whom}: ${bounds}`;
}

/**
 * A sign-in that a population lets in, in groups of these names if its role reads groups; undefined where nobody can be
 * in it, or where that cannot be decided.
 */
export function witnessOf(population: Population, groups: readonly string[] = []): Witness | undefined {
  try {
    return witness(inGroups(population, groups).conditions);
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

/** @throws Undecided */
function witness(conditions: Condition[]): Witness | undefined {
  const claims = claimsWith(demandsOf(conditions), undefined, isByToken(conditions));
  if (claims === undefined) return undefined;
  const first = (wanted: string) => accepted(conditions, wanted, 'members')?.members[0]?.words;
  const signedBy = first('signing keys');
  const address = accepted(conditions, 'source address', 'addresses')?.cidrs[0];
  return {
    claims,
    ...(address === undefined ? {} : { address: address.replace(/\/.*/, '') }),
    ...(signedBy === undefined ? {} : { signedBy }),
    by: isByToken(conditions) ? 'token' : 'browser',
  };
}

/** Somebody's sign-in, but one that a demand refuses: with another value of the claim that this is on, if there is one. */
function refusedBy(wanted: ClaimDemand, inner: Condition[], somebody: Witness): Witness | undefined {
  const [name = ''] = wanted.at;
  const near = demandsOf(inner).filter(({ at }) => at[0] === name);
  const other = claimsWith(near, wanted, isByToken(inner));
  if (other === undefined) return undefined;
  const { [name]: _, ...claims } = somebody.claims;
  return { ...somebody, claims: { ...claims, ...other } };
}

/**
 * Whether everyone in `inner` is in `outer`.
 *
 * Every condition of `outer` is tried by itself: somebody is let in by `inner` only if one of them refuses a sign-in that
 * fulfills all of `inner`. What they look at (keys, claims, address, …) are independent of each other, so one that
 * differs is enough. Exact for what core/login asks; unknown where values have no order, or would take too long.
 */
export function inclusion({ conditions: inner }: Population, { conditions: outer }: Population): Inclusion {
  if (isSame(inner, outer)) return { answer: 'yes' };
  const missing: string[] = [];
  const tried = <Value>(decide: () => Value): Value | undefined => {
    try {
      return decide();
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      missing.push(error.message);
      return undefined;
    }
  };
  const somebody = tried(() => witness(inner));
  // Nobody is in it.
  if (somebody === undefined && missing.length === 0) return { answer: 'yes' };
  for (const wanted of outer) {
    const given = inner.filter(({ on }) => on === wanted.on);
    if (given.some(({ accepts }) => isSame(accepts, wanted.accepts))) continue;
    const way = tried(() => wayPast(wanted, inner, somebody));
    if (way !== undefined) return { answer: 'no', ...way };
  }
  for (const { on, accepts } of inner) {
    if (accepts.kind === 'exactly' && accepted(outer, on, 'exactly') === undefined) missing.push(on);
  }
  return missing[0] === undefined ? { answer: 'yes' } : { answer: 'unknown', missing: missing[0] };
}

interface WayPast {
  because: string;
  witness: Witness;
}

/** How somebody in `inner` does not fulfill a condition; `somebody` is in it, whatever the condition. */
function wayPast(wanted: Condition, inner: Condition[], somebody: Witness | undefined): WayPast | undefined {
  const { on, accepts, words } = wanted;
  const unknown = inner.find((one) => one.accepts.kind === 'exactly' && one.accepts.value === notKnown);
  if (accepts.kind === 'exactly') throw new Undecided(on);
  const given = inner.find((one) => one.on === on)?.accepts;
  if (given === undefined && wanted.part === 'trust' && unknown !== undefined)
    throw new Undecided(unknown.on);
  if (somebody === undefined) return undefined;
  if (accepts.kind === 'claim') {
    const found = refusedBy(accepts, inner, somebody);
    return found && { because: claimWords(wanted, accepts, inner, found), witness: found };
  }
  if (accepts.kind === 'up to') {
    if (given?.kind !== 'up to' || given.most <= accepts.most) return undefined;
    return { because: `${on} may be ${given.most}, not only ${words}`, witness: somebody };
  }
  if (accepts.kind === 'addresses') {
    const address = addressPast(accepts.cidrs, given?.kind === 'addresses' ? given.cidrs : undefined);
    const because = given === undefined ? `need not be ${words}` : `may be ${address}`;
    return address === undefined
      ? undefined
      : { because: `${on} ${because}`, witness: { ...somebody, address } };
  }
  if (given?.kind !== 'members') {
    return accepts.isSingle ? { because: `${on} need not be ${words}`, witness: somebody } : undefined;
  }
  const more = given.members.find(({ id }) => !accepts.members.some((member) => member.id === id));
  if (more === undefined) return undefined;
  if (on === 'sign-in') return { because: `sign-in ${more.words}`, witness: somebody };
  const because =
    on === 'signing keys' ? `tokens may be signed by ${more.words}` : `${on} may be ${more.words}`;
  const { signedBy = 'a key' } = somebody;
  if (on === 'signing keys') return { because, witness: { ...somebody, signedBy: more.words } };
  if (on !== 'signing algorithm') return { because, witness: somebody };
  return { because, witness: { ...somebody, signedBy: `${signedBy}, by algorithm ${more.words}` } };
}

/**
 * An address that is not in the ranges that were wanted.
 *
 * @throws Undecided for a range that cannot be read, unless it is on both sides
 */
function addressPast(wanted: string[], given: string[] | undefined): string | undefined {
  const outer = readRanges(wanted);
  const more = given && readRanges(given.filter((cidr) => !wanted.includes(cidr)));
  // Where no address is bound: examples first, those that people know as such.
  const examples = ['192.0.2.1', '2001:db8::1', '0.0.0.0/0', '::/0'].map((text) => readRanges([text]).ranges);
  const past = (more ? [more.ranges] : examples)
    .map((ranges) => addressBeside(outer.ranges, ranges))
    .find((found) => found !== undefined);
  if (past !== undefined && (more === undefined || outer.strange === undefined)) return addressText(past);
  const strange = more?.strange ?? (past === undefined ? undefined : outer.strange);
  if (strange !== undefined) throw new Undecided(`source addresses ${JSON.stringify(strange)}`);
  return undefined;
}

function readRanges(cidrs: string[]): { ranges: AddressRange[]; strange?: string | undefined } {
  const read = cidrs.map(addressRange);
  return {
    ranges: read.filter((range): range is AddressRange => range !== undefined),
    strange: cidrs.find((_, at) => read[at] === undefined),
  };
}

function claimWords(wanted: Condition, { at }: ClaimDemand, inner: Condition[], { claims }: Witness): string {
  const { on, words } = wanted;
  const value = at.reduce<unknown>(inside, claims);
  const isOther = words === '' || words === 'none' || inner.some((one) => one.on === on && one.words !== '');
  if (value === undefined || !isOther) return `${on} need not be ${words || 'there'}`;
  return `${on} may be ${quoted(Array.isArray(value) && value.length === 1 ? value : [value])}`;
}

/** Whether nobody can be in both, though somebody is in each. */
export function isDisjoint({ conditions: one }: Population, { conditions: another }: Population): boolean {
  const areApart = one.some(({ on, accepts }) => {
    if (accepts.kind === 'members' && accepts.isSingle) {
      const others = accepted(another, on, 'members')?.members ?? [];
      const ids = new Set(accepts.members.map(({ id }) => id));
      return ids.size > 0 && others.length > 0 && !others.some(({ id }) => ids.has(id));
    }
    if (accepts.kind !== 'addresses') return false;
    const others = accepted(another, on, 'addresses')?.cidrs;
    return others !== undefined && !overlap(accepts.cidrs, others);
  });
  try {
    if (witness(one) === undefined || witness(another) === undefined) return false;
    return areApart || witness([...one, ...another]) === undefined;
  } catch (error) {
    if (error instanceof Undecided) return areApart;
    throw error;
  }
}

function overlap(one: string[], another: string[]): boolean {
  const others = another.map(addressRange);
  return one.map(addressRange).some((range) =>
    others.some((other) => {
      if (range === undefined || other === undefined) return true;
      return range.first <= other.last && other.first <= range.last;
    }),
  );
}

function demandsOf(conditions: Condition[]): ClaimDemand[] {
  return conditions.flatMap(({ accepts }) => (accepts.kind === 'claim' ? [accepts] : []));
}

function isByToken(conditions: Condition[]): boolean {
  return accepted(conditions, 'sign-in', 'members')?.members[0]?.id === 'jwt';
}

/** What conditions accept in one respect, if they look at it. */
function accepted<Kind extends Accepted['kind']>(conditions: Condition[], wanted: string, kind: Kind) {
  const found = conditions.find(({ on, accepts }) => on === wanted && accepts.kind === kind)?.accepts;
  return found as (Accepted & { kind: Kind }) | undefined;
}

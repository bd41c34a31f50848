import type { BoundValue } from '../../graph/resources/bound-claims.ts';
import { Budget } from '../../graph/values/budget.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { checkBoundClaims } from '../../login/bound-claims.ts';
import { type Claims, inside } from '../../login/claims.ts';
import { LoginRefused } from '../../login/login-refused.ts';
import { type Reason, Undecidable, undecidedBy } from '../reasons/reason.ts';
import type { Glob } from './glob-index.ts';
import { globOf, textIn } from './glob-texts.ts';

const isMissing = (value: unknown) => value === undefined || value === null;
const isTexts = (value: unknown) => [value].flat().every((one) => typeof one === 'string');

/**
 * What packages/core/src/login asks of one claim, whatever the role binds. undefined: the claim is not there. `if there`: it may also
 * be missing, or null; `no values`: an empty list will do as well; `no name`: not even null.
 */
const asked = {
  text: (value: unknown) => typeof value === 'string' && value !== '',
  'text if there': (value: unknown) => isMissing(value) || typeof value === 'string',
  texts: isTexts,
  'texts if there': (value: unknown) => isMissing(value) || isTexts(value),
  'number if there': (value: unknown) => isMissing(value) || typeof value === 'number',
  'a value': (value: unknown) => value !== undefined,
  'no value': isMissing,
  'no values': (value: unknown) => isMissing(value) || (Array.isArray(value) && value.length === 0),
  'no name': (value: unknown) => value === undefined,
  'the impossible': () => false,
};

export type Demand =
  | { asks: keyof typeof asked }
  /** Exactly this text. */
  | { asks: 'equal'; text: string }
  /** Where it is a list of several, one of them is this text. */
  | { asks: 'one of several'; text: string }
  /** Itself, or one of its list, is one of the values. */
  | { asks: 'one of'; bound: BoundValue[]; isGlob: boolean };

/** A demand on the claim at a place: the names that lead to it. */
export interface ClaimDemand {
  at: string[];
  demand: Demand;
}

/** Whether packages/core/src/login takes a value. undefined: the claim is not there. */
export function fulfils(demand: Demand, value: unknown): boolean {
  if (demand.asks === 'equal') return value === demand.text;
  if (demand.asks === 'one of several')
    return !Array.isArray(value) || value.length < 2 || value.includes(demand.text);
  return demand.asks === 'one of' ? isBound(demand, value) : asked[demand.asks](value);
}

function isBound({ bound, isGlob }: Demand & { asks: 'one of' }, value: unknown): boolean {
  const role = { boundClaims: { claim: bound }, boundClaimsType: isGlob ? 'glob' : 'string' } as const;
  try {
    checkBoundClaims({ ...role, name: '', roleType: 'jwt', userClaim: '' }, { claim: value });
    return true;
  } catch (error) {
    if (error instanceof LoginRefused) return false;
    throw error;
  }
}

/** Claims that a service reads of every token; one whose name is such a name in capitals is refused. */
const ofEveryToken: Record<string, Demand> = {
  iss: { asks: 'text if there' },
  sub: { asks: 'text if there' },
  aud: { asks: 'texts if there' },
  exp: { asks: 'number if there' },
  nbf: { asks: 'number if there' },
  iat: { asks: 'number if there' },
  jti: { asks: 'text if there' },
};
/** What a service reads of every ID token. */
const ofEveryIdToken: Record<string, Demand> = {
  iss: { asks: 'text if there' },
  sub: { asks: 'text' },
  aud: { asks: 'texts if there' },
};
const times = ['exp', 'nbf', 'iat'];

/** Names that may lead to a claim. People write a handful. */
const deepest = 100;

/** A place in the claims, with what is asked of it and of the places below it. */
interface ClaimDemands {
  name: string;
  demands: Demand[];
  refused?: Demand;
  inner: Map<string, ClaimDemands>;
}

/**
 * Claims that fulfil all demands, but not `refused`; undefined where there are none. The claims hold no
 * more than they must; times are added where a token is made of them.
 *
 * Exact: every place is decided by itself, over a candidate of each kind of value that demands can tell apart
 * (`candidates`), and the answer is checked by what packages/core/src/login asks.
 *
 * @param isToken whether they are a token's that was presented, or an ID token's from the provider
 * @throws Undecidable, OutOfBudget
 */
export function claimsWith(
  demands: readonly ClaimDemand[],
  refused: ClaimDemand | undefined,
  isToken: boolean,
  budget = new Budget(),
): Claims | undefined {
  const top: ClaimDemands = { name: '', demands: [], inner: new Map() };
  const tooDeep = [...demands, ...(refused ? [refused] : [])].find(({ at }) => at.length > deepest);
  if (tooDeep !== undefined)
    throw new Undecidable({ kind: 'claim-too-deep', claim: tooDeep.at[0] ?? '', names: tooDeep.at.length });
  for (const { at, demand } of demands) placeIn(top, at).demands.push(demand);
  if (refused !== undefined) placeIn(top, refused.at).refused = refused.demand;
  if (isToken) addOfEveryToken(top);
  else for (const [name, demand] of Object.entries(ofEveryIdToken)) top.inner.get(name)?.demands.push(demand);
  return decided(top, budget, true)?.value as Claims | undefined;
}

/** What is decided; where it cannot be, what stands for it. */
export function decidedOr<Value>(decide: () => Value, otherwise: (reason: Reason) => Value): Value {
  try {
    return decide();
  } catch (error) {
    const reason = undecidedBy(error);
    if (reason === undefined) throw error;
    return otherwise(reason);
  }
}

function placeIn(top: ClaimDemands, at: string[]): ClaimDemands {
  return at.reduce<ClaimDemands>((place, name) => {
    return getOrMake(place.inner, name, () => ({ name, demands: [], inner: new Map() }));
  }, top);
}

function addOfEveryToken({ inner }: ClaimDemands): void {
  for (const [name, place] of inner) {
    const isBoundTime = [...place.demands, place.refused].some(
      (demand) => demand !== undefined && demand.asks !== 'text',
    );
    // Whether a time is taken is a matter of the clock; roles do not bind one.
    if (times.includes(name) && isBoundTime) throw new Undecidable({ kind: 'claim-is-time', claim: name });
    const common = Object.hasOwn(ofEveryToken, name) ? ofEveryToken[name] : undefined;
    if (common !== undefined) place.demands.push(common);
    const folded = name.toLowerCase();
    if (name !== folded && Object.hasOwn(ofEveryToken, folded)) place.demands.push({ asks: 'no name' });
  }
}

/** A value for a place and all that is below it; undefined where there is none. */
function decided(place: ClaimDemands, budget: Budget, isTop = false): { value: unknown } | undefined {
  const undecided: Reason[] = [];
  if (!isTop) {
    for (const value of candidates(place, budget, undecided)) if (takes(place, value)) return { value };
  }
  if (place.inner.size > 0 || isTop) {
    const values = [...place.inner].map(([name, inner]) => ({ name, found: decided(inner, budget) }));
    if (values.every(({ found }) => found !== undefined)) {
      const entries = values.flatMap(({ name, found }) =>
        found?.value === undefined ? [] : [[name, found.value] as const],
      );
      const value = Object.fromEntries(entries);
      if (takes(place, value)) return { value };
    }
    // One claim that is looked at as a list and, by a pointer, at a position of it: no role does both.
    const isList = place.demands.some(({ asks }) => asks.startsWith('texts') || asks === 'one of');
    if (isList && [...place.inner.keys()].some((name) => /^([+-]?\d.*)?$/.test(name))) {
      throw new Undecidable({ kind: 'claim-is-list', claim: place.name });
    }
  }
  if (undecided[0] !== undefined) throw new Undecidable(undecided[0]);
  return undefined;
}

function takes({ demands, refused, inner }: ClaimDemands, value: unknown): boolean {
  return (
    demands.every((demand) => fulfils(demand, value)) &&
    (refused === undefined || !fulfils(refused, value)) &&
    [...inner].every(([name, place]) => takes(place, inside(value, name)))
  );
}

/**
 * A value of each kind that can make a difference: nothing; a text that is in all bound lists and not in the refused
 * one; each number and boolean that is bound, and others; a list with one element for each bound list, alone or with
 * something that is no text, or with what a list of several must have; an object. Null is as good as nothing, any other
 * element too many never helps, and a number in a list equals nothing.
 */
function* candidates(
  { name, demands, refused }: ClaimDemands,
  budget: Budget,
  undecided: Reason[],
): Generator<unknown> {
  const bound = demands.flatMap((demand) => valuesOf(demand) ?? []);
  const none = (refused && valuesOf(refused)) ?? { globs: [], scalars: [] };
  const avoided = demands.some(({ asks }) => asks === 'text') ? [...none.globs, ['']] : none.globs;
  const text = (all: Glob[][]) =>
    decidedOr(
      () => textIn(all, avoided, name, budget),
      (reason) => {
        undecided.push(reason);
        return undefined;
      },
    );
  const isTextFirst = refused?.asks === 'one of' || refused?.asks === 'equal';
  if (!isTextFirst) yield undefined;
  yield text(bound.map(({ globs }) => globs));
  if (isTextFirst) yield undefined;
  const [refusedOnes, ...accepted] = [none, ...bound].map((values) => new Set(values.scalars));
  for (const other of accepted[0] ?? []) {
    if (refusedOnes?.has(other) !== true && accepted.every((values) => values.has(other))) yield other;
  }
  yield true;
  yield false;
  const scalars = [...bound, none].flatMap((values) => values.scalars);
  yield scalars.reduce<number>((most, other) => Math.max(most, Math.trunc(Number(other))), 0) + 1;
  const list = bound.map(
    ({ globs, scalars }) =>
      text([globs]) ?? scalars.find((other) => typeof other === 'boolean' && !none.scalars.includes(other)),
  );
  if (list.every((element) => element !== undefined)) {
    yield list;
    yield [...list, {}];
    const asked = demands.flatMap((demand) => (demand.asks === 'one of several' ? demand.text : []));
    if (list.length > 1 && asked.length > 0) yield [...new Set([...list, ...asked])];
  }
  yield {};
}

interface Values {
  globs: Glob[];
  scalars: BoundValue[];
}

function valuesOf(demand: Demand): Values | undefined {
  if (demand.asks === 'equal') return { globs: [[demand.text]], scalars: [] };
  if (demand.asks !== 'one of') return undefined;
  const { bound, isGlob } = demand;
  // A glob that is not a text refuses every value that is compared with it.
  const wrong = isGlob ? bound.findIndex((one) => typeof one !== 'string') : -1;
  const read = wrong < 0 ? bound : bound.slice(0, wrong);
  const texts = read.filter((one) => typeof one === 'string');
  return {
    globs: texts.map((one) => (isGlob ? globOf(one) : [one])),
    scalars: read.filter((one) => ['number', 'boolean'].includes(typeof one)),
  };
}

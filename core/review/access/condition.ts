import { type AddressRange, addressBeside, addressRange } from '../../access/sign-in/address-ranges.ts';
import { type Glob, globOf, textIn } from '../../access/sign-in/glob-texts.ts';
import type { AuthMethod } from '../../model/resources/auth-method.ts';
import type { Role } from '../../model/resources/role.ts';

/** What a sign-in must fulfil in one respect. */
export interface Condition {
  /** What it looks at: `claim sub`, `audience`, `issuer`, `source address`, … */
  on: string;
  /** A token has one value of it at most: two conditions without a common value let in two different classes. */
  isSingle: boolean;
  accepts: Accepted;
  /** In words, without what it looks at: `"a" or "b"`. */
  words: string;
}

type Accepted =
  | { kind: 'texts'; globs: Glob[] }
  /** The token must not have it. */
  | { kind: 'absent' }
  | { kind: 'addresses'; cidrs: string[] };

/**
 * All that a sign-in through a role must fulfil: what the method trusts, and what the role binds. A token signs in when
 * it fulfils every one.
 */
export function conditionsOf(role: Role, method: AuthMethod | undefined): Condition[] {
  const { roleType, boundAudiences = [], boundSubject, boundClaims = {}, tokenBoundCidrs = [] } = role;
  const isGlob = role.boundClaimsType === 'glob';
  return [
    exactly('sign-in', true, [roleType === 'jwt' ? 'by token' : 'by browser']),
    ...(method === undefined ? [] : trustOf(role, method)),
    ...(boundAudiences.length > 0 ? [exactly('audience', false, boundAudiences)] : []),
    // facts/jwt-oidc.md: a token with an audience is refused by a jwt role that binds none.
    ...(boundAudiences.length === 0 && roleType === 'jwt'
      ? [{ on: 'audience', isSingle: false, accepts: { kind: 'absent' as const }, words: 'none' }]
      : []),
    ...(boundSubject ? [exactly('claim sub', true, [boundSubject])] : []),
    ...Object.entries(boundClaims as Record<string, unknown>).map(([claim, bound]) =>
      claimCondition(`claim ${plainClaim(claim)}`, [bound].flat(), isGlob),
    ),
    ...(tokenBoundCidrs.length > 0
      ? [
          {
            on: 'source address',
            isSingle: true,
            accepts: { kind: 'addresses' as const, cidrs: tokenBoundCidrs },
            words: tokenBoundCidrs.join(' or '),
          },
        ]
      : []),
  ];
}

function trustOf({ roleType }: Role, { config }: AuthMethod): Condition[] {
  const issuer = config.oidcDiscoveryUrl ?? config.boundIssuer;
  const keys = config.jwksUrl === undefined ? config.jwtValidationPubkeys : [config.jwksUrl];
  return [
    ...(issuer === undefined ? [] : [exactly('issuer', true, [issuer.replace(/\/$/, '')])]),
    ...(keys === undefined
      ? []
      : [
          {
            ...exactly('signing key', true, keys),
            words: config.jwksUrl ?? `one of ${keys.length} public keys`,
          },
        ]),
    ...(roleType === 'oidc' && config.oidcClientId !== undefined
      ? [exactly('client', true, [config.oidcClientId])]
      : []),
  ];
}

/** `/sub` is the claim `sub`; a deeper pointer stays one. */
function plainClaim(claim: string): string {
  return /^\/[^/~]+$/.test(claim) ? claim.slice(1) : claim;
}

function exactly(on: string, isSingle: boolean, texts: string[]): Condition {
  return {
    on,
    isSingle,
    accepts: { kind: 'texts', globs: texts.map((text) => [text]) },
    words: texts.map((text) => JSON.stringify(text)).join(' or '),
  };
}

function claimCondition(on: string, bound: unknown[], isGlob: boolean): Condition {
  const globs = bound.map((one) => {
    // Types are strict: a bound true is never the text "true". What cannot stand in a text keeps them apart.
    if (typeof one !== 'string') return [`\u0000${JSON.stringify(one)}`];
    return isGlob ? globOf(one) : [one];
  });
  const words = bound.map((one) => JSON.stringify(one)).join(' or ');
  const isPattern = isGlob && globs.some((glob) => glob.length > 1);
  return {
    on,
    isSingle: false,
    accepts: { kind: 'texts', globs },
    words: isPattern ? `like ${words}` : words,
  };
}

/**
 * Whether whoever fulfils all of `inner` fulfils all of `outer`. Exact where each looks at a claim once; where several
 * conditions are on one claim it may answer false although it is so, never the other way round.
 */
export function includes(outer: Condition[], inner: Condition[]): boolean {
  return outer.every((wanted) =>
    inner.some((given) => given.on === wanted.on && accepts(wanted.accepts, given.accepts)),
  );
}

function accepts(outer: Accepted, inner: Accepted): boolean {
  if (outer.kind === 'texts' && inner.kind === 'texts') return isIncluded(inner.globs, outer.globs);
  if (outer.kind === 'addresses' && inner.kind === 'addresses') {
    const [wide, narrow] = [rangesOf(outer.cidrs), rangesOf(inner.cidrs)];
    if (wide === undefined || narrow === undefined)
      return inner.cidrs.every((cidr) => outer.cidrs.includes(cidr));
    return addressBeside(wide, narrow) === undefined;
  }
  return outer.kind === 'absent' && inner.kind === 'absent';
}

function isIncluded(inner: Glob[], outer: Glob[]): boolean {
  try {
    return textIn([inner], outer) === undefined;
  } catch {
    return false;
  }
}

/** Undefined where one of them cannot be read. */
function rangesOf(cidrs: string[]): AddressRange[] | undefined {
  const ranges = cidrs.map(addressRange);
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/** Whether nobody can fulfil both: they have no value in common where a token has one value only. */
export function excludeEachOther(one: Condition[], another: Condition[]): boolean {
  return one.some(({ on, isSingle, accepts: first }) =>
    another.some(
      ({ on: otherOn, accepts: second }) => on === otherOn && isSingle && haveNothingInCommon(first, second),
    ),
  );
}

function haveNothingInCommon(one: Accepted, another: Accepted): boolean {
  if (one.kind !== 'texts' || another.kind !== 'texts') return false;
  const texts = new Set(another.globs.map(([text]) => text));
  const areTexts = [...one.globs, ...another.globs].every((glob) => glob.length === 1);
  return areTexts && !one.globs.some(([text]) => texts.has(text));
}

/** A role's conditions in words: `claim sub "x", audience "y"`. */
export function conditionWords(conditions: Condition[]): string {
  return conditions
    .filter(({ on }) => on !== 'sign-in')
    .map(({ on, words }) => `${on} ${words}`)
    .join(', ');
}

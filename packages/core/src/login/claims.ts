import { indexOf, wholeNumber } from '../graph/values/go.ts';

/** What a token says, as JSON. */
export type Claims = { [name: string]: unknown };

/**
 * The value of a claim. A name that begins with `/` is a JSON Pointer (RFC 6901) into the claims; any other is the
 * claim's own name, to the letter. `aud` is a list always. undefined: not there, or null.
 */
export function claim(claims: Claims, name: string): unknown {
  const value = placeOf(name).reduce<unknown>(inside, claims);
  if (name === 'aud' && typeof value === 'string') return [value];
  // The service compares whole numbers only.
  if (typeof value === 'number') return Number(wholeNumber(value));
  return value ?? undefined;
}

/** A claim by its name alone, also where the name looks like a JSON Pointer. */
export function own(claims: object, name: string): unknown {
  return Object.hasOwn(claims, name) ? (claims as Claims)[name] : undefined;
}

/** The steps that the name of a claim leads through: `/a/b` is `b` in the claim `a`. */
export function placeOf(name: string): string[] {
  return name.startsWith('/') ? name.slice(1).split('/').map(unescaped) : [name];
}

/** One step of a JSON Pointer. */
export function inside(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? value[indexOf(name)] : own(value, name);
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/**
 * The claims with another value for one of them, named as `claim` names it; undefined takes it out. A JSON Pointer to
 * a place whose parent is not there changes nothing.
 */
export function withClaim(claims: Claims, name: string, value: unknown): Claims {
  const changed = structuredClone(claims);
  const place = placeOf(name);
  const parent = place.slice(0, -1).reduce<unknown>(inside, changed);
  if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) return claims;
  const last = place.at(-1) ?? '';
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  return changed;
}

/** One value is a list of one; undefined for what is neither a list nor a text, boolean or number. */
export function listOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return ['string', 'boolean', 'number'].includes(typeof value) ? [value] : undefined;
}

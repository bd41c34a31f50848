/** What a token says, as JSON. */
export type Claims = { [name: string]: unknown };

/**
 * The value of a claim. A name that begins with `/` is a JSON Pointer (RFC 6901) into the claims; any other is the
 * claim's own name, to the letter. `aud` is a list always. undefined: not there, or null.
 */
export function claim(claims: Claims, name: string): unknown {
  const value = placeOf(name).reduce<unknown>(inside, claims);
  if (name === 'aud' && typeof value === 'string') return [value];
  // The service compares whole numbers only: what stands behind the point is cut off, and 64 bits are all it has.
  if (typeof value === 'number') return Math.abs(value) < 2 ** 63 ? Math.trunc(value) : -(2 ** 63);
  return value ?? undefined;
}

/** A claim by its name alone, also where the name looks like a JSON Pointer. */
export function own(claims: object, name: string): unknown {
  return Object.hasOwn(claims, name) ? (claims as Claims)[name] : undefined;
}

/** What a name of a claim leads to, step by step: `/a/b` is `b` in the claim `a`. */
export function placeOf(name: string): string[] {
  return name.startsWith('/') ? name.slice(1).split('/').map(unescaped) : [name];
}

/** One step of a JSON Pointer. */
export function inside(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? value[indexOf(name)] : own(value, name);
}

/** As Go reads a number in any base: `0`, `+1`, `0x1`, `01`, and nothing at all for 0. */
function indexOf(text: string): number {
  if (text === '') return 0;
  const [, digits = ''] = /^[+-]?(\d\w*)$/.exec(text) ?? [];
  const index = /^0\d/.test(digits) ? Number(`0o${digits}`) : digits === '' ? Number.NaN : Number(digits);
  return text.startsWith('-') ? -index : index;
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

/** A text as Go's `%q` writes it. */
export function quoted(text: string): string {
  const escaped = text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    if (Object.hasOwn(escapes, sign)) return `\\${escapes[sign]}`;
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code < 0x10000
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return `"${escaped}"`;
}

const escapes: Record<string, string> = {
  ...{
    '"': '"',
    '\\': '\\',
    '\u0007': 'a',
    '\b': 'b',
    '\f': 'f',
    '\n': 'n',
    '\r': 'r',
    '\t': 't',
    '\v': 'v',
  },
};

/** As Go's `%v` writes a number: from a million on with an exponent. */
function shownNumber(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** A value as the messages of the secrets service write it: `map[a:1 b:[x y]]`. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(shown).join(' ')}]`;
  if (typeof value === 'number') return shownNumber(value);
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `map[${entries.map(([name, inner]) => `${name}:${shown(inner)}`).join(' ')}]`;
}

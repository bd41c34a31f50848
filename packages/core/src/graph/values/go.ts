/**
 * What Go does with values, as far as it shows in an answer of OpenBao or Vault. `gatehouse explain` says what a real
 * server answers, in its very words, and a decision over sign-ins must come out as there: so numbers wrap and are cut
 * off as Go's are, and messages are worded as Go's are. Nothing else in the tree imitates Go.
 */

/** A number as a whole one of 64 bits: what stands behind the point is cut off, and what is too great is the least. */
export function wholeNumber(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : -(2n ** 63n);
}

/** A whole number as 64 bits hold it: what is beyond begins again from the other end. */
export function int64(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

/** Seconds from the year 1, from which Go counts, to 1970. */
const sinceYear1 = 62_135_596_800n;

/** Nanoseconds since 1970 of a time in seconds since then. Go counts seconds from the year 1, in 64 bits. */
export function instantOf(seconds: bigint): bigint {
  return (int64(seconds + sinceYear1) - sinceYear1) * 1_000_000_000n;
}

/** A time in seconds since 1970 as Go writes it; one far beyond the years that JavaScript counts, in seconds. */
export function goTime(seconds: bigint): string {
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return `${seconds} s after 1970`;
  return date.toISOString().replace(/T(.*)\.\d+Z$/, ' $1 +0000 UTC');
}

/** The index that a text names in any base: `0`, `+1`, `0x1`, `01`, and nothing at all for 0. NaN for no number. */
export function indexOf(text: string): number {
  if (text === '') return 0;
  const [, digits = ''] = /^[+-]?(\d\w*)$/.exec(text) ?? [];
  const index = /^0\d/.test(digits) ? Number(`0o${digits}`) : digits === '' ? Number.NaN : Number(digits);
  return text.startsWith('-') ? -index : index;
}

/**
 * What Go's JSON decoder says of a value of another type.
 *
 * @param into `value`, or `struct field Claims.iss`
 * @param goType Go's type. Defaults to `string`.
 */
export function cannotUnmarshal(value: unknown, into: string, goType = 'string'): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go ${into} of type ${goType}`;
}

/** The byte at which Go stops to read base64url without padding; undefined where it reads all, whatever bits are left over. */
export function wrongBase64Byte(part: string): number | undefined {
  if (/^[\w-]*$/.test(part) && part.length % 4 !== 1) return undefined;
  const at = part.search(/[^\w-]/);
  return at === -1 ? part.length - 1 : at;
}

/** What Go's `unicode.IsPrint` refuses. */
const notPrinted = '[^\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ]';
const firstNotPrinted = new RegExp(notPrinted, 'u');
const escapedInQuotes = new RegExp(`["\\\\]|${notPrinted}`, 'gu');

/** A character that Go's `unicode.IsPrint` refuses, as servers do in the paths of requests; undefined where there is none. */
export function unprintable(text: string): string | undefined {
  return firstNotPrinted.exec(text)?.[0];
}

/** Seconds as Go's `time.Duration` writes them: `1h0m0s`. */
export function goDuration(seconds: number): string {
  return `${Math.floor(seconds / 3600)}h${Math.floor((seconds % 3600) / 60)}m${seconds % 60}s`;
}

/** A text as Go's `%q` writes it. */
export function quoted(text: string): string {
  const escaped = text.replace(escapedInQuotes, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    if (signs.includes(sign)) return `\\${letters[signs.indexOf(sign)]}`;
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code < 0x10000
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return `"${escaped}"`;
}

/** The signs that have a short form, and the letters of these forms after a backslash. */
const signs = '"\\\u0007\b\f\n\r\t\v';
const letters = '"\\abfnrtv';

/** As Go's `%v` writes a number: from a million on with an exponent. */
function shownNumber(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** A value as Go's `%v` writes it: `map[a:1 b:[x y]]`. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(shown).join(' ')}]`;
  if (typeof value === 'number') return shownNumber(value);
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `map[${entries.map(([name, inner]) => `${name}:${shown(inner)}`).join(' ')}]`;
}

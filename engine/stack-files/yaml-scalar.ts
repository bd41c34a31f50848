/**
 * What a plain (unquoted, untagged) YAML scalar means to Pulumi, whose files are read by Go's yaml.v3
 * (go-yaml/yaml `resolve.go`). It differs from other readers: `0777` is octal, `1_000` a number, `yes` a
 * string, and a time becomes Go's text for it.
 */
export type YamlScalar = null | boolean | string | bigint | number;

const booleans = new Map([
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
]);
const nulls = new Set(['', '~', 'null', 'Null', 'NULL']);
const specialFloats = new Map([
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((text) => [text, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((text) => [text, -Infinity] as const),
  ...['.nan', '.NaN', '.NAN'].map((text) => [text, NaN] as const),
]);
const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const integer = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const instant =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d+)?(Z|[+-]\d{2}:\d{2})| (\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d+)?)?$/;

export function resolvePlainScalar(text: string): YamlScalar {
  if (nulls.has(text)) return null;
  const special = booleans.get(text) ?? specialFloats.get(text);
  if (special !== undefined) return special;
  if (!/^[-+.\d]/.test(text)) return text;
  return goTime(text) ?? number(text.replaceAll('_', '')) ?? text;
}

function number(text: string): bigint | number | undefined {
  const match = integer.exec(text);
  if (match !== null) {
    const [, sign = '', digits = ''] = match;
    // Go takes a leading zero for octal; BigInt asks for `0o`.
    const magnitude = BigInt(digits.replace(/^0[oO]?(?=[0-7])/, '0o'));
    const value = sign === '-' ? -magnitude : magnitude;
    if (value >= -(2n ** 63n) && value < 2n ** 64n) return value;
  }
  return float.test(text) ? Number(text) : undefined;
}

/** `2026-12-01T00:00:00Z` → `2026-12-01 00:00:00 +0000 UTC` (Go's `Time.String`); undefined when it is no time. */
function goTime(text: string): string | undefined {
  const match = instant.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = ''] = match;
  const [hour, minute, second] = [match[4] ?? match[9], match[5] ?? match[10], match[6] ?? match[11]].map(
    (field) => (field ?? '').padStart(2, '0'),
  );
  const fraction = (match[7] ?? match[12] ?? '').slice(0, 10).replace(/\.?0+$/, '');
  const zone = match[8] ?? 'Z';
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = `${hour}:${minute}:${second}`;
  const parsed = new Date(`${date}T${time}Z`);
  if (Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 19) !== `${date}T${time}`)
    return undefined;
  const offset = zone === 'Z' ? '+0000' : zone.replace(':', '');
  const isUtc = offset.slice(1) === '0000';
  return `${date} ${time}${fraction} ${isUtc ? '+0000 UTC' : `${offset} ${offset}`}`;
}

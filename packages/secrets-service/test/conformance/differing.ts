import type { Answer } from './session.ts';

/** Seconds that count down while the tests run are compared by the minute. */
const counting = /(^|\.)(ttl|lease_duration|creation_ttl)$/;
/** Instants, in seconds since 1970. */
const instants = /(^|\.)(creation_time|last_renewal_time|server_time_utc)$/;

/** What changes with every run, whatever holds it. */
const random: [RegExp, string][] = [
  // In a namespace some end in its id.
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(\.\w{6}\b)?/g, '<uuid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>'],
  // As Go writes it.
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC( m=\+[\d.]+)?/g, '<time>'],
  [/\b(auth_[a-z]+|entity|group|identity|system|cubbyhole)_[0-9a-f]{8}\b(\.\w{6}\b)?/g, '$1_<hex>'],
  // What is left of the longest life: a second goes by between making and asking.
  [/max_ttl of "[^"]+"/g, 'max_ttl of <time>'],
  [/\b(hv)?[sb]\.[\w.-]{20,}/g, '<token>'],
  [/^[A-Za-z0-9]{24}(\.[A-Za-z0-9]{6})?$/g, '<accessor>'],
];
const namespaceIds = /(^|\.)(namespace_id|id)$/;

/** Where in two answers there is something else, as paths: `status`, `data.policies.0`. */
export function differing(
  one: { answer: Answer; kept: Map<string, string> },
  other: { answer: Answer; kept: Map<string, string> },
): Map<string, [one: unknown, other: unknown]> {
  const [ones, otherLeaves] = [one, other].map(({ answer, kept }) => leavesOf(answer, kept)) as [
    Map<string, unknown>,
    Map<string, unknown>,
  ];
  const found = new Map<string, [unknown, unknown]>();
  for (const path of new Set([...ones.keys(), ...otherLeaves.keys()])) {
    if (ones.get(path) !== otherLeaves.get(path)) found.set(path, [ones.get(path), otherLeaves.get(path)]);
  }
  return found;
}

function leavesOf({ status, body }: Answer, kept: Map<string, string>): Map<string, unknown> {
  const leaves = new Map<string, unknown>([['status', status]]);
  const names = [...kept].filter(([, value]) => value.length > 5);
  const text = (value: string, path: string) => {
    let plain = value;
    for (const [name, known] of names) plain = plain.replaceAll(known, `{${name}}`);
    for (const [pattern, sign] of random) plain = plain.replace(pattern, sign);
    plain = inOrder(plain);
    return namespaceIds.test(path) ? plain.replace(/^\w{6}$/, '<namespace>') : plain;
  };
  const walk = (value: unknown, path: string) => {
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([name, inner]) => [text(name, ''), inner] as const);
      // Lists of ids come in an order of chance.
      const sorted =
        path.endsWith('keys') || path.endsWith('_ids') ? sortedTexts(entries, text, path) : entries;
      if (sorted.length === 0) leaves.set(path, Array.isArray(value) ? '[]' : '{}');
      for (const [name, inner] of sorted) walk(inner, path === '' ? name : `${path}.${name}`);
    } else if (typeof value === 'string') leaves.set(path, text(value, path));
    else if (typeof value === 'number' && instants.test(path)) leaves.set(path, '<seconds>');
    else if (typeof value === 'number' && counting.test(path)) leaves.set(path, Math.ceil(value / 60) * 60);
    else leaves.set(path, value);
  };
  walk(body, '');
  return leaves;
}

function sortedTexts(
  entries: (readonly [string, unknown])[],
  text: (value: string, path: string) => string,
  path: string,
): (readonly [string, unknown])[] {
  return entries
    .map(([, value]) => text(String(value), path))
    .sort()
    .map((value, index) => [String(index), value]);
}

/** The query of a URL has no order. */
function inOrder(text: string): string {
  const [, start, query] = /^(\S+?)\?(\S+=\S*)$/.exec(text) ?? [];
  return query === undefined ? text : `${start}?${query.split('&').sort().join('&')}`;
}

import { GatehouseError } from '../../core/model/values/errors.ts';

/** What tells of the machine and its user, and what stands in a recording in its place. */
export interface Machine {
  /** Folder or address → replacement. */
  places: Record<string, string>;
  /** Tokens: they may stand nowhere. */
  secrets: string[];
  /** Names of the user and the host → replacement. */
  names: Record<string, string>;
}

/** Names that tell nothing about a person, and words of the recordings. */
const ordinary = /^(root|user|users|node|runner|admin|vscode|dev|project|gatehouse|pulumi|vault|localhost)$/i;

/** What looks like a place of a machine, or a token, and none of a recording. */
const suspicious = [
  /\/(?:home\/(?!user\b)|Users\/|root\/|tmp\/|private\/|var\/folders\/)[^\s"'\\]*/g,
  /\b(?:hvs|hvb|hvr|pul)[.-][A-Za-z0-9_-]{16,}/g,
];

/**
 * A recording without the machine that it was made on.
 *
 * @throws GatehouseError `recording_private` if something of it would be left
 */
export function scrub(text: string, { places, secrets, names }: Machine): string {
  const longestFirst = Object.entries(places).sort(([a], [b]) => b.length - a.length);
  let clean = text;
  for (const [place, replacement] of longestFirst) clean = replaced(clean, place, replacement);
  for (const secret of secrets) clean = clean.replaceAll(secret, 'token');
  for (const [name, replacement] of Object.entries(names)) {
    if (name === '' || ordinary.test(name)) continue;
    clean = replaced(clean, name, replacement);
  }
  const found = suspicious.flatMap((pattern) => clean.match(pattern) ?? []);
  const [first] = found;
  if (first === undefined) return clean;
  throw new GatehouseError({
    code: 'recording_private',
    what: `a recording would hold ${first.startsWith('/') ? 'a path' : 'a token'} of this machine`,
    given: first.startsWith('/') ? first : undefined,
    fix: 'Add it to what scripts/recording/record.ts replaces. Nothing was written.',
  });
}

/** As a whole: `/root` is no part of `/rooted`, nor port 80 of port 8080. */
function replaced(text: string, part: string, replacement: string): string {
  const literal = part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return text.replaceAll(new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, 'g'), replacement);
}

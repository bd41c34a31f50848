import { mayMeet } from '../graph/policies/pattern-overlap.ts';
import { isObject, jsonIn } from '../graph/values/json.ts';
import { belowNamespace, fullPath, hashed, isOfEntry, readAuditLine } from './audit-line.ts';
import { countedMissing, type MissingFromLog } from './missing-from-log.ts';
import { type MountMoves, pathsToday } from './moved-mounts.ts';
import { isOfTable } from './wrappers.ts';

/** What is left of an entry that a log does not have whole. */
export interface Damage {
  /** Id of the request; empty where it is lost, too. */
  id: string;
  /** What was asked for, below the namespace; undefined where that is lost. */
  path?: string;
  namespace?: string;
  /** Whether it is of a request, whose response stands on a line of its own. */
  isRequest: boolean;
  /** Path of the method without `auth/`, for a sign-in without its response. What it gave is not known. */
  method?: string;
}

/** Damage that may belong to any request, and to several. */
export const nothingKnown: Damage = { id: '', isRequest: false };

/** What two pieces say of one entry: where they disagree, nothing. */
export function mergedDamage(left: Damage, right: Damage): Damage {
  const { id } = left;
  const isSame =
    left.path === right.path && left.namespace === right.namespace && left.method === right.method;
  if (isSame) return left;
  if (left.path === undefined || right.path === undefined) return left.path === undefined ? right : left;
  return { ...nothingKnown, id };
}

/** Whether what is left of an entry does not rule out that it is of a request that the pattern decides. */
export const mayBeAt = ({ path, method }: Damage, pattern: string): boolean =>
  method === undefined && (path === undefined || mayMeet(pattern, path));

/** Whether the pattern may decide it at the requested path, or at the path that its mount was moved to since. */
export const mayBeAtToday = (damage: Damage, pattern: string, { mounts }: MountMoves): boolean =>
  mayBeAt(damage, pattern) ||
  (damage.path !== undefined &&
    pathsToday(damage.path, mounts).some((path) => mayBeAt({ ...damage, path }, pattern)));

/** Whether it does not rule out that someone used a role of a method, whose path is given without `auth/`. */
export const mayBeBy = (damage: Damage, method: string, { mounts }: MountMoves): boolean =>
  damage.method === undefined ||
  damage.method === method ||
  pathsToday(`auth/${damage.method}`, mounts).includes(`auth/${method}`);

/** The damage with its path as the policies of a namespace write it; undefined where none of its tokens can have asked for it. */
export function seenFrom(ownNamespace: string, damage: Damage): Damage | undefined {
  const { namespace, path, method } = damage;
  if (namespace === undefined || namespace === ownNamespace) return damage;
  const start = ownNamespace === '' ? '' : `${ownNamespace}/`;
  if (method !== undefined || !namespace.startsWith(start)) return undefined;
  return path === undefined ? damage : { ...damage, path: `${namespace.slice(start.length)}/${path}` };
}

/** What a log lacks by its damage; nothing where it is whole. */
export function missingLines(damaged: readonly Damage[]): MissingFromLog[] {
  return countedMissing('damaged-lines', damaged.filter(({ method }) => method === undefined).length);
}

/** Where an entry of any server may begin. */
const beginnings = /\{"(?=time":"|type":"re|auth":\{|request":\{|response":\{)/g;
/** Beginnings that are tried: fields of a request may look like one. */
const mostTried = 64;
/**
 * Takes a line apart that is no entry: into the entries that are whole, glued or behind half of another one, and what is left of
 * others.
 */
export function takenApart(line: string): { whole: string[]; damaged: Damage[] } {
  return takenFrom(peeled(line));
}

/** A record that is cut holds its line as a text of JSON. */
const quoted = /\\"(?=\w+\\+"\s*:|[,}\]:])|[{,]\\"/;

function peeled(line: string): string {
  let text = isOfTable(line) ? line.replaceAll('""', '"') : line;
  for (let depth = 0; depth < mostQuoted && quoted.test(text); depth += 1)
    text = text.replace(
      /\\(u[0-9a-f]{4}|.)/gi,
      (_, letter: string) => unescaped[letter] ?? letter.at(-1) ?? '',
    );
  return text;
}
const mostQuoted = 4;
const unescaped: Record<string, string> = { n: '\n', r: '\r', t: '\t', u0022: '"', u005c: '\\' };

function takenFrom(line: string): { whole: string[]; damaged: Damage[] } {
  const whole: string[] = [];
  const damaged: Damage[] = [];
  let takenUpTo = 0;
  const leave = (text: string) => {
    if (isOfEntry(text)) damaged.push(damageIn(text));
  };
  const starts = [...line.matchAll(beginnings)].slice(0, mostTried);
  for (const { index } of starts) {
    if (index < takenUpTo) continue;
    const { end } = endOf(line, index);
    const text = end === undefined ? '' : line.slice(index, end);
    const read = text === '' ? 'cut' : readAuditLine(text);
    if (typeof read === 'string' && read !== 'request' && read !== 'in-clear') continue;
    leave(line.slice(takenUpTo, index));
    whole.push(text);
    takenUpTo = end ?? line.length;
  }
  const end = line.slice(takenUpTo);
  leave(end);
  // Something else ran into the end of an entry.
  if (whole.length > 0 && !isOfEntry(end) && !/^[\s,\]"\0]*$/.test(end)) damaged.push(nothingKnown);
  // A line that is too long to be read, or ends with its first brace.
  if (whole.length === 0 && damaged.length === 0 && /^\s*\{\s*(?:"[^"]{0,16})?$/.test(line))
    damaged.push(nothingKnown);
  return { whole, damaged };
}

/** Behind the brace that closes the one at `start`, undefined where none does; and the last comma between fields of the object. */
function endOf(line: string, start: number): { end?: number; comma: number } {
  let depth = 0;
  let isText = false;
  let comma = start;
  for (let at = start; at < line.length; at += 1) {
    const letter = line[at];
    if (isText) {
      if (letter === '\\') at += 1;
      else if (letter === '"') isText = false;
    } else if (letter === '"') isText = true;
    else if (letter === '{' || letter === '[') depth += 1;
    else if (letter === ',' && depth === 1) comma = at;
    else if (letter === '}' || letter === ']') {
      depth -= 1;
      if (depth === 0) return { end: at + 1, comma };
    }
  }
  return { comma };
}

/** Only what is there as a whole counts, and nothing where the text may be of several entries. */
export function damageIn(text: string): Damage {
  const isRequest = /^[^{]*\{"time":"[^"]*","type":"request"/.test(text);
  const { id, path, namespace, mount_point: mount } = (isMixed(text) ? undefined : requestIn(text)) ?? {};
  // A field that is called so has hashes.
  if (typeof id !== 'string' || id.startsWith(hashed)) return { id: '', isRequest };
  const of = isObject(namespace) ? namespaceIn(namespace) : undefined;
  if (of === undefined) return { id, isRequest };
  const isThere = typeof path === 'string' && typeof mount === 'string';
  return {
    id,
    isRequest,
    namespace: of.replace(/\/$/, ''),
    ...(isThere && { path: fullPath(path, belowNamespace(of, mount)) }),
  };
}

/** Whether a text begins as an entry does and ends as one, and is none; or begins as several do. */
function isMixed(text: string): boolean {
  const [first, second] = text.matchAll(beginnings);
  return (
    second !== undefined ||
    (first !== undefined && !isOfEntry(text.slice(0, first.index)) && /\}\s*$/.test(text))
  );
}

/** The fields of a request that are there whole, whatever their order. */
function requestIn(text: string): Record<string, unknown> | undefined {
  const [match, second] = text.matchAll(/"request":(?=\{)/g);
  // A field of a request may have that name.
  if (match === undefined || second !== undefined) return undefined;
  const start = match.index + match[0].length;
  const { end, comma } = endOf(text, start);
  const read = jsonIn(end === undefined ? `${text.slice(start, comma)}}` : text.slice(start, end));
  return isObject(read) ? read : undefined;
}

function namespaceIn({ id, path }: Record<string, unknown>): string | undefined {
  if (typeof path === 'string') return path;
  return id === 'root' ? '' : undefined;
}

import { type ByName, sortedJson } from '../resources/field.ts';
import { givingPolicies } from '../resources/policy.ts';
import { roleFields } from '../resources/role.ts';
import { bearingOfField, trustByField } from '../resources/trust.ts';
import { isObject, isUnset } from '../values/json.ts';
import { textOf } from '../values/loose-values.ts';

/** What decides who gets something that no stack declares, and for how long. */
export interface Bounds {
  /** Everything that decides who gets it, by names on the wire. Only compared; holds no secret. */
  bounds: ByName;
  /** What decides how long its tokens live. Only compared. Defaults to nothing. */
  lifetime?: ByName;
}

/** What a sign-in says of itself, which fills templates in; under an empty name what is not known by name. */
export interface NotedMetadata {
  /** Defaults to nothing. */
  metadata?: Readonly<Record<string, string>>;
}

/** The fields that may have the name of what a method has. */
const nameFields = ['role_name', 'name', 'role', 'username', 'groupname', 'group_name', 'user', 'team'];

/** The field that has the name of a resource, and the name; `name` where none has. */
export function namedIn(fields: ByName): { field: string; name: string | undefined } {
  const field = nameFields.find((candidate) => textOf(fields[candidate]) !== undefined) ?? 'name';
  return { field, name: textOf(fields[field]) };
}

/** Fields that the service draws, or that only describe. */
const own = ['id', 'namespace', 'accessor', 'description', 'local', 'disable_remount'];
/** Where principals sign in, and what is judged by itself. Such fields say from whom access is taken. */
export const ofMount = ['backend', 'path', 'mount', ...givingPolicies];

/** The fields of a resource that bound it, and those that say how long its tokens live. */
export function boundsOf(fields: ByName, except: string[] = []): Bounds {
  const [bounds, lifetime]: [ByName, ByName] = [{}, {}];
  for (const [name, value] of Object.entries(fields)) {
    if (own.includes(name) || except.includes(name) || decidesNothing(name, value)) continue;
    const isTime = /(?:^|_)(?:ttl|period|num_uses|renewable)$|^token_type$|^tune$/.test(name);
    (isTime ? lifetime : bounds)[name] = inOrder(value);
  }
  return { bounds, ...(Object.keys(lifetime).length > 0 && { lifetime }) };
}

/** Whether a field is not set, or decides no sign-in. */
function decidesNothing(name: string, value: unknown): boolean {
  const bearing = bearingOfField(name);
  if (bearing === 'nothing' || bearing === 'metadata') return true;
  // A service answers so for a role without one: its mount decides.
  if (name === 'token_type' && value === roleFields.tokenType.default) return true;
  const isTrueUnset = name === 'renewable' || trustByField.get(name)?.endsWith('unless false') === true;
  return isUnset(value, isTrueUnset);
}

/** What a sign-in is noted with by its method or role, which fills templates in. */
export function notedMetadata(fields: ByName): NotedMetadata {
  const set = Object.entries(fields).filter(
    ([name, value]) => bearingOfField(name) === 'metadata' && !isUnset(value),
  );
  if (set.length === 0) return {};
  const isNamed = ([name, value]: [string, unknown]) => name === 'alias_metadata' && isObject(value);
  const entries = set
    .filter(isNamed)
    .flatMap(([, texts]) => Object.entries(texts as ByName).map(([field, text]) => [field, String(text)]));
  const unnamed = set.filter((field) => !isNamed(field));
  if (unnamed.length > 0) entries.push(['', sortedJson(Object.fromEntries(unnamed))]);
  return { metadata: Object.fromEntries(entries) };
}

/** Lists and blocks of other methods are sets. */
function inOrder(value: unknown): unknown {
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inOrder(inner)]));
  if (!Array.isArray(value)) return value;
  return value.map(inOrder).sort((left, right) => (sortedJson(left) < sortedJson(right) ? -1 : 1));
}

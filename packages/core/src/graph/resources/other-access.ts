import { isObject, isUnset } from '../values/json.ts';
import { blockOf, defined, textOf } from '../values/loose-values.ts';
import { nameKey } from '../values/name-key.ts';
import { partName } from '../values/visible.ts';
import { type ByName, sortedJson } from './field.ts';
import { listNamed, writtenAt } from './other-methods.ts';
import { givingPolicies, policiesIn } from './policy.ts';
import { bearingOfField, trustByField } from './trust.ts';
import { whoSignsIn } from './who-signs-in.ts';

/** What a node is on the service: two of one identity are one. */
export interface ResourceKey {
  /** What others refer to it as, or else its type. */
  type: string;
  /** Path of the mount that it is in. */
  mount?: string | undefined;
  name: string;
}

/** Whose sign-ins a guard asks for more than a password or a token: who is, or is in, none of these is not asked. */
export interface GuardTargets {
  groups: readonly string[];
  entities: readonly string[];
  /** Paths of auth methods. */
  methods: readonly string[];
  /** Types of auth methods. */
  types: readonly string[];
}

/** Something other than roles, groups and policies that decides who gets in, or with what. */
export interface OtherAccess {
  /** Absent where only its name tells it apart. */
  identity?: ResourceKey;
  /** What it is, in words that name it: `role k8s/app (kubernetes)`, `write to auth/ci/role/x`. */
  name: string;
  /** Who signs in by it, in words, where that is known: `jobs that hold a secret id of AppRole app`. */
  who?: string;
  /** Whether it gives access, takes it (multi-factor enforcement, a quota), or may do either (a write to any path). */
  effect: 'gives' | 'takes' | 'either';
  /** Policies that it gives. */
  policies: string[];
  /** Path of the auth method that it is of. */
  method?: string;
  /** Whether a sign-in there has its policies in addition to those of a role or of others. Defaults to false: it is one by itself. */
  unites?: true;
  /** Whether a token has some of its policies: those that are asked for, or of the groups that a person is in. Defaults to false: all. */
  picks?: true;
  /** The entity, or the group, whose policies it gives as well. */
  entity?: string;
  group?: string;
  /** What it gives is not known, or not all of it. Defaults to false. */
  isOpaque?: true;
  /** Everything else that decides who gets it. Only compared; holds no secret. */
  bounds: Record<string, unknown>;
  /** What a sign-in by it says of itself, which fills templates in. Defaults to nothing. */
  metadata?: Readonly<Record<string, string>>;
  /** Of a guard: whose sign-ins it is bound to. Defaults to none that are known. */
  guards?: GuardTargets;
  /** What decides how long its tokens live. Only compared. */
  lifetime?: Record<string, unknown>;
}

/** Policies that a method's own configuration gives to everyone who signs in there, or to users that it does not list. */
export const mountPolicies = ['token_policies', 'policies', 'unregistered_user_policies'];

/** A mount of an auth method that is read and never written. */
export function otherMount(path: string, type: string, fields: ByName): OtherAccess {
  const identity = { type: 'mount', name: path };
  // Okta's groups and users are blocks of its configuration: a person is in some of them.
  const blocks = [fields['group'], fields['user']].flat().filter(isObject);
  const policies = [...new Set([fields, ...blocks].flatMap((one) => policiesIn(one, mountPolicies)))];
  return given(identity, `${partName('method', path)} (${type})`, 'gives', {
    ...boundsOf({ ...fields, tune: leasesIn(fields['tune']) }, ['path', ...mountPolicies]),
    ...notedMetadata(fields),
    ...(policies.length > 0 && { policies, method: path, unites: true as const }),
    ...(blocks.length > 0 && { picks: true as const }),
  });
}

/** What a mount's tuning says of its tokens: the rest shows, logs and lets through headers. */
function leasesIn(tune: unknown): ByName {
  const { token_type: type, default_lease_ttl, max_lease_ttl } = blockOf(tune) ?? {};
  const token_type = type === 'default-service' ? undefined : type;
  const leases = Object.entries({ token_type, default_lease_ttl, max_lease_ttl });
  return Object.fromEntries(leases.filter(([, value]) => !isUnset(value)));
}

/** A role, user, group or team of one. */
export function otherRole(
  at: { type: string; mount: string; noun: string; name: string; where?: string | undefined },
  fields: ByName,
): OtherAccess {
  const { type, mount, noun, name, where } = at;
  const { unites, picks, who, says } = listNamed(type, noun);
  const words = `${partName(noun, mount, name)} (${type})`;
  const policies = policiesIn(fields, givingPolicies);
  const isSet = (field: string) => !isUnset(fields[field]);
  // With nothing but names that are refused, a creator may ask for any other; with nothing at all, for their own.
  const isOpen =
    isSet('allowed_policies_glob') ||
    (policies.length === 0 && (isSet('disallowed_policies') || isSet('disallowed_policies_glob')));
  const decided = boundsOf(fields, [namedIn(fields).field, ...ofMount]);
  return {
    ...given({ type: 'otherRole', mount, name: `${noun} ${nameKey(name)}` }, words, 'gives', {
      ...decided,
      ...notedMetadata(fields),
      policies,
    }),
    ...defined({
      method: mount,
      who: who && whoSignsIn({ who, says }, { name, where }, fields, decided.bounds),
      unites,
      picks,
    }),
    ...(type === 'token' && isOpen && { isOpaque: true as const }),
  };
}

/**
 * What a role, user, group or team of another method is called, in lower case, and the path that it is written at; undefined for
 * all else.
 */
export function roleNamed(one: OtherAccess): { noun: string; name: string; at: string } | undefined {
  const { identity } = one;
  if (identity?.type !== 'otherRole') return undefined;
  const [, noun, name] = /^(\w+) (.*)$/s.exec(identity.name) ?? [];
  if (noun === undefined || name === undefined) return undefined;
  return { noun, name, at: `auth/${identity.mount}/${writtenAt(typeIn(one), noun, name)}` };
}

/** The alias that a sign-in has by it, or that it is, in lower case; undefined where any may be. */
export function aliasNamed(one: OtherAccess): string | undefined {
  if (one.identity?.type === 'entityAlias') return one.identity.name;
  const { noun = '', name } = roleNamed(one) ?? {};
  return listNamed(typeIn(one), noun).isAlias ? name : undefined;
}

/** The type of the auth method that words name: `role k8s/app (kubernetes)`. */
export const typeIn = ({ name }: Pick<OtherAccess, 'name'>): string => /\(([^()]*)\)$/.exec(name)?.[1] ?? '';

/** The name that an entity has at an auth method. */
export function entityAlias(name: string, mount: string, entity: string): OtherAccess {
  const words = `${partName('alias', mount, name)} for ${partName('entity', entity)}`;
  const identity = { type: 'entityAlias', mount, name: nameKey(name) };
  return given(identity, words, 'gives', { method: mount, unites: true, entity, bounds: {} });
}

/** An alias of a group at a method that knows the groups of a person without a role that reads them. */
export function aliasElsewhere(name: string, mount: string, type: string, group: string): OtherAccess {
  const words = `${partName('alias', mount, name)} (${type}) for ${partName('group', group)}`;
  const identity = { type: 'alias', mount, name: nameKey(name) };
  return given(identity, words, 'gives', { method: mount, unites: true, group, bounds: {} });
}

/** A role that is a program (CEL): what it gives is not looked into. */
export function programRole(mount: string, name: string): OtherAccess {
  const words = `${partName('role', mount, name)} (a program)`;
  const rest = { method: mount, isOpaque: true as const, bounds: {} };
  return given({ type: 'program', mount, name }, words, 'gives', rest);
}

/**
 * Tokens that hold the same: what they were issued with stays until they end, whatever becomes of a role.
 *
 * @param mount where their entity has an alias: they have the groups of that method as well
 */
export function issuedTokens(policies: readonly string[], entity?: string, mount?: string): OtherAccess {
  const held = policies.length === 0 ? 'without policies' : `with ${policies.join(', ')}`;
  const whose = entity === undefined ? '' : ` of ${partName('entity', entity)}`;
  const words = `tokens ${held}${whose}`;
  const of = { policies: [...policies], bounds: {}, ...defined({ entity, method: mount }) };
  return given({ type: 'issued', name: nameKey(words) }, words, 'gives', of);
}

/** Keeps all from signing in who are a group or an entity. */
export function disabling(type: string, name: string): OtherAccess {
  const words = `disabling of ${partName(type, name)}`;
  return given({ type: 'disabling', name: nameKey(name) }, words, 'takes', { bounds: {} });
}

export function given(
  identity: ResourceKey,
  name: string,
  effect: OtherAccess['effect'],
  rest: Partial<OtherAccess> & Pick<OtherAccess, 'bounds'>,
): OtherAccess {
  return { identity, name, effect, policies: [], ...rest };
}

/** The fields that may have the name of what a method has. */
const nameFields = ['role_name', 'name', 'role', 'username', 'groupname', 'group_name', 'user', 'team'];

export function namedIn(fields: ByName): { field: string; name: string | undefined } {
  const field = nameFields.find((one) => textOf(fields[one]) !== undefined) ?? 'name';
  return { field, name: textOf(fields[field]) };
}

/** The service's own. */
const own = ['id', 'namespace', 'accessor', 'description', 'local', 'disable_remount'];
/** Where principals sign in, and what is judged by itself. Such fields say from whom access is taken. */
const ofMount = ['backend', 'path', 'mount', ...givingPolicies];

export function boundsOf(fields: ByName, except: string[] = []): Pick<OtherAccess, 'bounds' | 'lifetime'> {
  const [bounds, lifetime]: [ByName, ByName] = [{}, {}];
  for (const [name, value] of Object.entries(fields)) {
    if (own.includes(name) || except.includes(name) || isNothing(name, value)) continue;
    const isTime = /(?:^|_)(?:ttl|period|num_uses|renewable)$|^token_type$|^tune$/.test(name);
    (isTime ? lifetime : bounds)[name] = inOrder(value);
  }
  return { bounds, ...(Object.keys(lifetime).length > 0 && { lifetime }) };
}

/** Whether it is not set, or decides no sign-in. */
function isNothing(name: string, value: unknown): boolean {
  const bearing = bearingOfField(name);
  if (bearing === 'nothing' || bearing === 'metadata') return true;
  const isTrueUnset = name === 'renewable' || trustByField.get(name)?.endsWith('unless false') === true;
  return isUnset(value, isTrueUnset);
}

/** What a sign-in is noted with by its method or role, which fills templates in: by name where that is known. */
export function notedMetadata(fields: ByName): Pick<OtherAccess, 'metadata'> {
  const set = Object.entries(fields).filter(
    ([name, value]) => bearingOfField(name) === 'metadata' && !isUnset(value),
  );
  if (set.length === 0) return {};
  const [named, unnamed] = [true, false].map((wanted) =>
    set.filter(([name, value]) => (name === 'alias_metadata' && isObject(value)) === wanted),
  ) as [typeof set, typeof set];
  const entries = named.flatMap(([, texts]) =>
    Object.entries(texts as ByName).map(([field, text]) => [field, String(text)]),
  );
  if (unnamed.length > 0) entries.push(['', sortedJson(Object.fromEntries(unnamed))]);
  return { metadata: Object.fromEntries(entries) };
}

/** Lists and blocks of other methods are sets. */
function inOrder(value: unknown): unknown {
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inOrder(one)]));
  if (!Array.isArray(value)) return value;
  return value.map(inOrder).sort((one, other) => (sortedJson(one) < sortedJson(other) ? -1 : 1));
}

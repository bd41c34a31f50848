import { isDeepStrictEqual } from 'node:util';
import { tuneFields } from '../../model/resources/auth-method.ts';
import { type Field, fieldNamed } from '../../model/resources/field.ts';
import { providerConfigFromWire, providerConfigToWire } from '../../model/resources/provider-config.ts';
import { resourceNamed } from '../../model/resources/resources.ts';
import { Dialect, toCamelCase } from '../../model/values/wire.ts';
import { holdsHidden } from './hidden-values.ts';
import { blockOf, knownTune, textMap } from './model-of.ts';
import type { Fields, PlannedSide, PlannedType } from './planned-resource.ts';

/**
 * Fields that no table has and that were looked at: they name something, are the service's own, or bear on nothing. One
 * that is in neither list cannot be judged when it changes.
 */
const lookedAt: Record<string, string[]> = {
  all: ['id', 'namespace', 'accessor', 'creation_time', 'last_update_time', 'timeouts'],
  method: ['path', 'type', 'description', 'local', 'disable_remount', 'oidc_client_secret_wo_version'],
  role: ['role_name', 'backend', 'disable_bound_claims_parsing', 'token_num_uses_wo_version'],
  group: [
    ...['type', 'external_policies', 'external_member_entity_ids', 'external_member_group_ids'],
    ...['member_entity_ids', 'member_group_ids', 'group_id', 'group_name'],
  ],
  message: ['message_base64', 'message_id'],
  groupPolicies: ['group_id', 'group_name', 'exclusive'],
  groupMembers: ['group_id', 'group_name', 'exclusive', 'member_entity_ids', 'member_group_ids'],
  entity: ['external_policies', 'name'],
  entityPolicies: ['entity_id', 'entity_name', 'exclusive'],
  entityAlias: ['name', 'mount_accessor', 'canonical_id'],
  backend: ['path', 'description', 'local', 'disable_remount'],
  token: ['client_token', 'lease_duration', 'lease_started', 'wrapped_token', 'wrapping_accessor'],
  endpoint: ['path', 'write_data', 'write_data_json', 'data', 'disable_read', 'disable_delete'],
};

/** Types whose fields are compared as they are: none of them can be overlooked. */
const compared = new Set<PlannedType>(['backend', 'way', 'token', 'endpoint', 'guard']);

/** Fields that name a resource, or what it hangs on. */
const naming = ['path', 'name', 'role_name', 'backend', 'title', 'mount_accessor', 'canonical_id'];

/** The field of the model that a name on the wire means, if it is one that a review judges by. */
function judgedField(type: PlannedType, field: string): string | undefined {
  if (lookedAt['all']?.includes(field) || lookedAt[type]?.includes(field)) return undefined;
  const table = resourceNamed(type)?.fields;
  if (table === undefined) return toCamelCase(field);
  // What an alias ties together is its identity: without it, it is unknown as a whole.
  if (type === 'alias') return undefined;
  const name = fieldNamed(table, field);
  if (name === undefined) return type === 'message' ? undefined : toCamelCase(field);
  return table[name]?.bearsOn === 'nothing' || name === 'name' ? undefined : name;
}

/** What a plan does not tell of a resource that it changes. */
export interface Untold {
  /** Fields by their names on the wire, with what they are in the model. */
  fields: { wire: string; model: string }[];
  /** What names it is hidden and changed. */
  isHidden: boolean;
}

/** The fields that cannot be judged: not told, of another kind than their field, or of none that is known. */
export function untold(
  type: PlannedType,
  before: PlannedSide | undefined,
  after: PlannedSide,
  unreadable: string[],
): Untold {
  const names = new Set([
    ...after.unknown,
    ...unreadable,
    ...unclassified(type, before, after),
    ...readOtherwise(type, before, after),
  ]);
  return {
    fields: [...names].flatMap((wire) => {
      const model = judgedField(type, wire);
      return model === undefined ? [] : [{ wire, model }];
    }),
    isHidden: naming.some((field) => after.unknown.includes(field) && field in after.fields),
  };
}

/** Hidden bounds that are the same and are compared otherwise: there may be a star or a comma in them. */
function readOtherwise(type: PlannedType, before: PlannedSide | undefined, after: PlannedSide): string[] {
  if (type !== 'role' || before === undefined) return [];
  const isHidden = [before, after].some(({ fields }) => holdsHidden(fields['bound_claims']));
  const howRead = ['bound_claims_type', 'disable_bound_claims_parsing'];
  const changes = howRead.some((field) => set(before.fields[field]) !== set(after.fields[field]));
  return isHidden && changes ? ['bound_claims'] : [];
}

/** Fields that no table has, and that change. */
function unclassified(type: PlannedType, before: PlannedSide | undefined, after: PlannedSide): string[] {
  if (compared.has(type)) return [];
  const table = resourceNamed(type)?.fields ?? {};
  const names = new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after.fields)]);
  return [...names].filter((name) => {
    // The model has the metadata of external groups only.
    const isKnown = fieldNamed(table, name) !== undefined && (name !== 'metadata' || isExternal(type, after));
    if (isKnown || judged(type, name)) return false;
    const compared = type === 'method' && name === 'tune' ? unknownTune : set;
    return !isDeepStrictEqual(compared(before?.fields[name]), compared(after.fields[name]));
  });
}

function isExternal(type: PlannedType, { fields }: PlannedSide): boolean {
  return type === 'group' && fields['type'] === 'external';
}

/** Fields that are read although no table of the model has them. */
function judged(type: PlannedType, name: string): boolean {
  return (
    ['entity', 'groupPolicies', 'entityPolicies'].includes(type) && ['policies', 'disabled'].includes(name)
  );
}

/** A value that is set; a service takes what is empty for not set. */
function set(value: unknown): unknown {
  if (value === '' || value === 0 || value === false || value === null) return undefined;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? undefined : value;
}

/** Takes away what is not of the kind that its field has: nobody could say what it comes to. */
export function readable(type: PlannedType, side: PlannedSide): { side: PlannedSide; unreadable: string[] } {
  const wrong = Object.entries(side.fields)
    .filter(([field, value]) => !isReadable(type, field, value))
    .map(([field]) => field);
  if (wrong.length === 0) return { side, unreadable: wrong };
  const fields = Object.fromEntries(Object.entries(side.fields).filter(([field]) => !wrong.includes(field)));
  return { side: { ...side, fields }, unreadable: wrong };
}

function isReadable(type: PlannedType, field: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  // The schemas drop this name.
  if (typeof value === 'object' && Object.hasOwn(value, '__proto__')) return false;
  if (field.endsWith('policies') && !field.startsWith('external'))
    return typeof value === 'string' || isTexts(value);
  if (naming.includes(field) || (type === 'policy' && field === 'policy')) return typeof value === 'string';
  if (type === 'role' && field === 'bound_claims') return isClaims(value);
  if (type === 'method' && field === 'provider_config') return isProviderConfig(value);
  if (type === 'method' && field === 'tune') return isTune(value);
  if (type !== 'role' && type !== 'method') return true;
  const table = resourceNamed(type)?.fields ?? {};
  const row: Field | undefined = table[fieldNamed(table, field) ?? ''];
  if (row === undefined) return true;
  // A list may be written as a text; a map may not.
  const isMap = row.type === 'textsByName' || row.type === 'keySets';
  return (typeof value === 'string' && !isMap) || row.schema.safeParse(value).success;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A service can hold booleans and numbers in bound claims, too. */
function isClaims(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((bound) => [bound].flat().every((one) => typeof one !== 'object'));
}

/** Whether the model has all that a provider config says. */
function isProviderConfig(value: unknown): boolean {
  const given = textMap(value);
  if (given === undefined) return typeof value === 'object' && !Array.isArray(value);
  const config = providerConfigFromWire(given);
  if (config === undefined) return false;
  const written = Object.values(Dialect).map((dialect) =>
    providerConfigToWire({ ...config, ...(config.provider === 'workspace_suite' ? allSet : {}) }, dialect),
  );
  return Object.keys(given).every((name) => written.some((wire) => name in wire));
}

/** None of these is left out on the wire as a default. */
const allSet = { fetchGroups: true, fetchUserInfo: true, groupsRecurseMaxDepth: 1, userCustomSchemas: ['x'] };

/** What is set of a mount's tuning and that no table has. */
function unknownTune(value: unknown): Fields {
  const block = Object.entries(blockOf(value) ?? {});
  return Object.fromEntries(
    block.filter(([name, one]) => !Object.hasOwn(tuneFields, toCamelCase(name)) && set(one) !== undefined),
  );
}

function isTune(value: unknown): boolean {
  const block = blockOf(value);
  if (block === undefined) return Array.isArray(value) && value.length === 0;
  return Object.entries(knownTune(block)).every(
    ([name, one]) =>
      tuneFields[name as keyof typeof tuneFields].bearsOn === 'nothing' ||
      tuneFields[name as keyof typeof tuneFields].schema.safeParse(one).success,
  );
}

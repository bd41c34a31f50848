import {
  bearsOnNothing,
  canonicalFields,
  type Field,
  type Fields as FieldTable,
  fieldNamed,
  readFields,
  wireNameIn,
} from '../../graph/resources/field.ts';
import { isInProviderConfig, providerConfigFromWire } from '../../graph/resources/provider-config.ts';
import { isEqualData } from '../../graph/values/equal-data.ts';
import { isEmpty, isObject, isTexts, isUnset } from '../../graph/values/json.ts';
import { blockOf, textMap } from '../../graph/values/loose-values.ts';
import { toCamelCase, toSnakeCase } from '../../graph/values/wire.ts';
import { holdsHidden } from './hidden-values.ts';
import type { PlannedSide } from './planned-resource.ts';
import { type Fields, type PlannedType, typeInPlan } from './resource-types.ts';
import { isWhollyWritten } from './written-role.ts';

/** The service's own, of every resource. */
const ofService = ['id', 'namespace', 'accessor', 'creation_time', 'last_update_time', 'timeouts'];

/** Fields that name a resource, or what it hangs on. */
const naming = ['path', 'name', 'role_name', 'backend', 'title', 'mount_accessor', 'canonical_id'];

/** The field of the model that a name on the wire means, if it is one that a review judges by. */
function judgedField(type: PlannedType, field: string): string | undefined {
  const { fields: table, lookedAt, isWhole } = typeInPlan(type);
  if (ofService.includes(field) || lookedAt?.includes(field)) return undefined;
  if (table === undefined) return toCamelCase(field);
  if (isWhole) return undefined;
  const name = fieldNamed(table, field);
  if (name === undefined) return bearsOnNothing(table) ? undefined : toCamelCase(field);
  return table[name]?.bearsOn === 'nothing' || name === 'name' ? undefined : name;
}

/** What a plan does not tell of a resource that it changes. */
interface Untold {
  /** Fields by their names on the wire, with what they are in the model. */
  fields: { wire: string; model: string }[];
  /** The reference to it is hidden and changed. */
  isHidden: boolean;
}

/** The fields that cannot be judged: not told, of another kind than their field, or of none that is known. */
export function untold(
  type: PlannedType,
  before: PlannedSide | undefined,
  after: PlannedSide,
  unreadable: string[],
  isMade = before === undefined,
): Untold {
  // What the service draws for something new decides nothing.
  const { drawn = [] } = isMade ? typeInPlan(type) : {};
  const names = new Set([
    ...after.unknown.filter((field) => !drawn.includes(field)),
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

/** Fields that a plan empties and that an update leaves on the service, with what is there. */
export function leftByUpdate(
  type: PlannedType,
  before: PlannedSide,
  after: PlannedSide,
): { wire: string; model: string; value: unknown }[] {
  const { fields: table = {} } = typeInPlan(type);
  if (isWhollyWritten(type, after.fields)) return [];
  return Object.entries(table).flatMap(([model, field]) => {
    const wire = wireNameIn(table, model);
    const value = before.fields[wire];
    const isEmptied = !isUnset(value) && isUnset(after.fields[wire]) && !after.unknown.includes(wire);
    return field.cleared === false && isEmptied ? [{ wire, model, value }] : [];
  });
}

/** Fields of blocks that a plan takes away and that an update leaves on the service, as `tune.maxLeaseTtl`. */
export function leftInBlocks(type: PlannedType, before: PlannedSide, after: PlannedSide): string[] {
  return Object.entries(typeInPlan(type).blocks ?? {}).flatMap(([block, table]) => {
    if (after.unknown.includes(block)) return [];
    const blockBefore = onWire(blockOf(before.fields[block]) ?? {});
    const blockAfter = onWire(blockOf(after.fields[block]) ?? {});
    const set = canonicalFields(table, readFields(table, blockBefore));
    return Object.entries(table).flatMap(([name, { cleared }]) =>
      cleared === false && name in set && isUnset(blockAfter[wireNameIn(table, name)])
        ? [`${block}.${name}`]
        : [],
    );
  });
}

function onWire(block: object): Fields {
  return Object.fromEntries(Object.entries(block).map(([name, value]) => [toSnakeCase(name), value]));
}

/** What is hidden, unchanged, and read in another way: in bound claims there may be a star or a comma. */
function readOtherwise(type: PlannedType, before: PlannedSide | undefined, after: PlannedSide): string[] {
  const { fields: table = {} } = typeInPlan(type);
  return Object.entries(table).flatMap(([name, { readBy }]) => {
    if (readBy === undefined || before === undefined) return [];
    const field = wireNameIn(table, name);
    const isHidden = [before, after].some(({ fields }) => holdsHidden(fields[field]));
    const changes = readBy.some((by) => set(before.fields[by]) !== set(after.fields[by]));
    return isHidden && changes ? [field] : [];
  });
}

/** Fields that no table has, and that change. */
function unclassified(type: PlannedType, before: PlannedSide | undefined, after: PlannedSide): string[] {
  const { fields: table = {}, blocks = {}, isCompared } = typeInPlan(type);
  if (isCompared) return [];
  const names = new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after.fields)]);
  return [...names].filter((name) => {
    if (fieldNamed(table, name) !== undefined) return false;
    const block = blocks[name];
    const compared = (value: unknown) => (block === undefined ? set(value) : unknownIn(block, value));
    return !isEqualData(compared(before?.fields[name]), compared(after.fields[name]));
  });
}

function set(value: unknown): unknown {
  return isUnset(value) ? undefined : value;
}

/** Takes away what is not of the kind that its field has: its effect is unknown. */
export function readable(type: PlannedType, side: PlannedSide): { side: PlannedSide; unreadable: string[] } {
  const { true: right = [], false: wrong = [] } = Object.groupBy(
    Object.entries(side.fields),
    ([field, value]) => (isReadable(type, field, value) ? 'true' : 'false'),
  );
  const unreadable = wrong.map(([field]) => field);
  return { side: { ...side, fields: Object.fromEntries(right) }, unreadable };
}

function isReadable(type: PlannedType, field: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  // The schemas drop this name.
  if (typeof value === 'object' && Object.hasOwn(value, '__proto__')) return false;
  if (field.endsWith('policies') && !field.startsWith('external')) return isTexts([value].flat());
  const { fields: table = {}, blocks = {}, isTyped } = typeInPlan(type);
  const row: Field | undefined = table[fieldNamed(table, field) ?? ''];
  if (naming.includes(field) || row?.isPolicy) return typeof value === 'string';
  if (blocks[field] !== undefined) return isBlock(blocks[field], value);
  if (row?.type === 'claims') return isClaims(value);
  if (row?.type === 'providerConfig') return isProviderConfig(value);
  if (row === undefined || !isTyped) return true;
  // A list may be written as a text; a map may not.
  const isMap = row.type === 'textsByName' || row.type === 'keySets';
  return (typeof value === 'string' && !isMap) || row.schema.safeParse(value).success;
}

/** A service can hold booleans and numbers in bound claims, too. */
function isClaims(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.values(value).every((bound) => [bound].flat().every((part) => typeof part !== 'object'));
}

/** Whether the model has all that a provider config says. */
function isProviderConfig(value: unknown): boolean {
  const texts = textMap(value);
  if (texts === undefined) return typeof value === 'object' && !Array.isArray(value);
  const config = providerConfigFromWire(texts);
  return (
    config !== undefined && Object.keys(texts).every((name) => isInProviderConfig(config.provider, name))
  );
}

/** Fields that are set in a block and missing from every table. */
function unknownIn(table: FieldTable, value: unknown): Fields {
  const isKnown = (name: string) => fieldNamed(table, toSnakeCase(name)) !== undefined;
  const entries = Object.entries(blockOf(value) ?? {});
  return Object.fromEntries(entries.filter(([name, part]) => !isKnown(name) && !isUnset(part)));
}

function isBlock(table: FieldTable, value: unknown): boolean {
  const block = blockOf(value);
  if (block === undefined) return Array.isArray(value) && value.length === 0;
  return Object.entries(block).every(([name, part]) => {
    const row = table[fieldNamed(table, toSnakeCase(name)) ?? ''];
    return (
      row === undefined || isEmpty(part) || row.bearsOn === 'nothing' || row.schema.safeParse(part).success
    );
  });
}

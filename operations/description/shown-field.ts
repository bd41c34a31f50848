import { fieldNamed } from '../../core/model/resources/field.ts';
import { isDuration, type ResourceType, tables } from '../../core/model/resources/tables.ts';
import { formatDuration } from '../../core/model/values/duration.ts';
import { toSnakeCase } from '../../core/model/values/wire.ts';
import { knownType, terraformName } from '../../core/review/plan/resource-types.ts';
import type { PropertyChange } from './property-changes.ts';
import { Placeholder, type ShownValue } from './shown-value.ts';

/** What a resource is created with, by the names and in the units of the YAML. */
export function shownInputs(
  type: string,
  inputs: { [name: string]: ShownValue },
): { [name: string]: ShownValue } {
  const part = partOf(type);
  if (part === undefined) return inputs;
  const rows = Object.entries(inputs).map(([path, value]) => {
    const name = nameIn(part, path);
    return [name, inUnits(part, name, value)] as const;
  });
  return Object.fromEntries(rows.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A change by the names and in the units of the YAML: `ttl` from `10m` to `15m`, not `tokenTtl` from 600 to 900. */
export function shownChange(type: string, change: PropertyChange): PropertyChange {
  const part = partOf(type);
  if (part === undefined) return change;
  const path = nameIn(part, change.path);
  const shown = (value: ShownValue) => inUnits(part, path, value);
  switch (change.kind) {
    case 'added':
      return { ...change, path, new: shown(change.new) };
    case 'removed':
      return { ...change, path, old: shown(change.old) };
    case 'changed':
      return { ...change, path, old: shown(change.old), new: shown(change.new) };
    default:
      return { ...change, path };
  }
}

function partOf(type: string): ResourceType | undefined {
  const known = knownType(terraformName(type))?.type;
  return known !== undefined && Object.hasOwn(tables, known) ? (known as ResourceType) : undefined;
}

/** What is not in the table, such as the method of a role, keeps the plugin's name. */
function nameIn(part: ResourceType, path: string): string {
  const [first = ''] = /^[^.[]*/.exec(path) ?? [];
  return (fieldNamed(tables[part], toSnakeCase(first)) ?? first) + path.slice(first.length);
}

function inUnits(part: ResourceType, name: string, value: ShownValue): ShownValue {
  return typeof value === 'number' && isDuration(part, name) ? new Placeholder(formatDuration(value)) : value;
}

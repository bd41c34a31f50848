import { type Fields, fieldNamed, formatDuration, isDuration, resourceOfPulumi } from '@gatehouse/core/graph';
import { toSnakeCase } from '@gatehouse/core/values';
import type { PropertyChange } from './property-changes.ts';
import { Placeholder, type ShownValue } from './shown-value.ts';

/** Inputs of a new resource, by the names and in the units of the YAML. */
export function shownInputs(
  type: string,
  inputs: { [name: string]: ShownValue },
): { [name: string]: ShownValue } {
  const table = resourceOfPulumi(type)?.fields;
  if (table === undefined) return inputs;
  const rows = Object.entries(inputs).map(([path, value]) => {
    const name = yamlNameOf(table, path);
    return [name, shownInUnits(table, name, value)] as const;
  });
  return Object.fromEntries(rows.sort(([name], [other]) => (name < other ? -1 : 1)));
}

/** A change by the names and in the units of the YAML: `ttl` from `10m` to `15m`, not `tokenTtl` from 600 to 900. */
export function shownChange(type: string, change: PropertyChange): PropertyChange {
  const table = resourceOfPulumi(type)?.fields;
  if (table === undefined) return change;
  const path = yamlNameOf(table, change.path);
  const shown = (value: ShownValue) => shownInUnits(table, path, value);
  return {
    ...change,
    path,
    ...('old' in change && { old: shown(change.old) }),
    ...('new' in change && { new: shown(change.new) }),
  } as PropertyChange;
}

/** A field without a row in the table, such as the method of a role, keeps the plugin's name. */
function yamlNameOf(table: Fields, path: string): string {
  const [first = ''] = /^[^.[]*/.exec(path) ?? [];
  return (fieldNamed(table, toSnakeCase(first)) ?? first) + path.slice(first.length);
}

function shownInUnits(table: Fields, name: string, value: ShownValue): ShownValue {
  return typeof value === 'number' && isDuration(table, name)
    ? new Placeholder(formatDuration(value))
    : value;
}

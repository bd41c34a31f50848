import type { Unmodeled } from '../../graph/resources/unmodeled.ts';
import { isUnset } from '../../graph/values/json.ts';
import { blockOf } from '../../graph/values/loose-values.ts';
import type { PlannedSide } from './planned-resource.ts';

/** Whether fields have such values, or may have, and one of them not the same as before. */
export function isNewlyThere(
  where: NonNullable<Unmodeled['where']>,
  before: PlannedSide | undefined,
  after: PlannedSide,
): boolean {
  const isUnknown = (name: string) => after.unknown.includes(name.replace(/\..*$/, ''));
  const names = Object.keys(where);
  return (
    Object.entries(where).every(([name, fitting]) => isUnknown(name) || fitting.test(textAt(after, name))) &&
    (before === undefined ||
      names.some((name) => isUnknown(name) || textAt(before, name) !== textAt(after, name)))
  );
}

/** A field as a text, or a part of a map: `options.log_raw`. What is not set is an empty one. */
function textAt({ fields }: PlannedSide, name: string): string {
  const [field = '', part] = name.split('.');
  const value = part === undefined ? fields[field] : blockOf(fields[field])?.[part];
  if (isUnset(value)) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

import { fieldNamed } from '../../model/resources/field.ts';
import { tables } from '../../model/resources/tables.ts';
import type { PlannedSide, ReviewedType } from './planned-resource.ts';

const others: Record<Exclude<ReviewedType, 'method' | 'role'>, string[]> = {
  group: ['policies'],
  // What an alias ties together is its identity: without it, it is unknown as a whole.
  alias: [],
  policy: ['policy'],
  message: ['message_base64', 'type', 'authenticated', 'start_time', 'end_time', 'link'],
};

/** The fields that a plan does not tell and a review would look at, by their names on the wire. */
export function unknownFields(type: ReviewedType, { unknown }: PlannedSide): string[] {
  return unknown.filter((field) => {
    if (type === 'method' || type === 'role') return fieldNamed(tables[type], field) !== undefined;
    return others[type].includes(field);
  });
}

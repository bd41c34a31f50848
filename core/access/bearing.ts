import type { Bearing } from '../model/resources/field.ts';
import { tables } from '../model/resources/tables.ts';
import { type Subject, subjectText } from '../model/subject.ts';

/** What a field that is not known, or a thing that is not known as a whole, bears on. What no table has is access. */
export function bearingOf(type: Subject['type'], field?: string): Bearing {
  if (type === 'message' || type === 'service') return 'nothing';
  if (type === 'entity' || type === 'other' || type === 'promise') return 'access';
  const table: Record<string, { bearsOn: Bearing }> = tables[type];
  const [name = ''] = field?.split('.') ?? [];
  return table[name]?.bearsOn ?? 'access';
}

/** Of what is not known of a change or a state: what bears on access, lifetime or identity, in words. */
export function uncertainOf(unknown: readonly Subject[]): string[] {
  return unknown
    .filter(({ type, field }) => bearingOf(type, field) !== 'nothing')
    .map((subject) => `${subject.field ?? 'what becomes'} of ${subjectText(subject)}`);
}

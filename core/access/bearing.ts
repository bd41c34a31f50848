import { type Bearing, bearsOnNothing } from '../model/resources/field.ts';
import { resourceNamed } from '../model/resources/resources.ts';
import { type Subject, subjectText } from '../model/subject.ts';

/** What a field that is not known, or a thing that is not known as a whole, bears on. What no table has is access. */
export function bearingOf(type: Subject['type'], field?: string): Bearing {
  const fields = resourceNamed(type)?.fields;
  if (fields === undefined) return type === 'service' ? 'nothing' : 'access';
  if (bearsOnNothing(fields)) return 'nothing';
  const [name = ''] = field?.split('.') ?? [];
  return fields[name]?.bearsOn ?? 'access';
}

/** Of what is not known of a change or a graph: what bears on access, lifetime or identity, in words. */
export function uncertainOf(unknown: readonly Subject[]): string[] {
  return unknown
    .filter(({ type, field }) => bearingOf(type, field) !== 'nothing')
    .map((subject) => `${subject.field ?? 'what becomes'} of ${subjectText(subject)}`);
}

import { z } from 'zod';
import { resourceTypes } from './resources/resources.ts';
import { type ApartKind, isSubjectNamed, type Subject, subjectPath } from './subject.ts';
import { trimmed } from './values/loose-values.ts';
import { nameKey } from './values/name-key.ts';

/** What a service has besides the parts of a graph, and is called by: by the kind of what is known. */
const apart: Readonly<Record<ApartKind, string>> = {
  namespace: 'namespace',
  enforcement: 'login enforcement',
};

const filled = (what: string) => z.string().trim().min(1, `give ${what}`);

/** What is on the service on purpose and managed elsewhere: drift is not about it unless it changes, and promises can name it. */
export const knownSettings = z.strictObject({
  kind: z.enum([...resourceTypes, ...(Object.keys(apart) as ApartKind[])]),
  /** Its name; a role's or an alias's after the path of its auth method: `ci/build`. */
  name: filled('its name'),
  /** Of what the stack declares: a field of it that no stack can declare, or tuning that this one does not. */
  field: filled('a field').optional(),
  because: filled('the reason'),
});
/** What an environment says of access that others made. */
export type KnownAccess = z.output<typeof knownSettings>;
/** The same without the reason. */
export type KnownName = Omit<KnownAccess, 'because'>;

/** A thing that stands in no list of a graph, as drift names it. */
export function apartSubject(kind: ApartKind, name: string): Subject {
  return {
    type: 'other',
    name: `${apart[kind]} ${JSON.stringify(name)}`,
    apart: { kind, name: trimmed(name) },
  };
}

/** What a list of such things is called where it may not be read. */
export function apartList(kind: ApartKind): string {
  return `${apart[kind]}s`;
}

/** Whether a kind is of what stands in no list of a graph. */
export function isApart(kind: KnownAccess['kind']): kind is ApartKind {
  return Object.hasOwn(apart, kind);
}

/** Whether a subject is a known thing, or the field of one that is known. */
export function isKnownAs({ kind, name, field }: KnownName, subject: Subject): boolean {
  if (field !== undefined && field !== subject.field) return false;
  if (!isApart(kind)) return isSubjectNamed(subject, `${kind} ${name}`);
  return subject.apart?.kind === kind && nameKey(subject.apart.name) === nameKey(trimmed(name));
}

/** How what a stack leaves to others is written as known: roles of other auth methods go with these. */
export function knownOf(subject: Subject): KnownName | undefined {
  const { type, method, field } = subject;
  if (type === 'other') return method === undefined ? subject.apart : { kind: 'method', name: method };
  if (type === 'service' || type === 'promise') return undefined;
  return { kind: type, name: subjectPath(subject), ...(field !== undefined && { field }) };
}

/** In words, and as the key of its record: `role ci/build`, `method ci, tune.auditNonHmacRequestKeys`. */
export function knownWords({
  kind,
  name,
  field,
}: Record<'kind' | 'name', string> & { field?: string | undefined }): string {
  return `${kind} ${name}${field === undefined ? '' : `, ${field}`}`;
}

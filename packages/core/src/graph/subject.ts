import { type AuthMethod, method } from './resources/auth-method.ts';
import { type ExternalGroup, group } from './resources/external-group.ts';
import { alias, type GroupAlias } from './resources/group-alias.ts';
import type { Resource } from './resources/resource.ts';
import { type ResourceType, resourceNamed, resources } from './resources/resources.ts';
import { type Role, role } from './resources/role.ts';
import { defined } from './values/loose-values.ts';
import { nameKey } from './values/name-key.ts';
import { partName } from './values/visible.ts';

/** What `--target` and `--exclude` can name, as in `role web`. A provider is everything that it declares. */
export const nameableParts: readonly string[] = [
  'provider',
  ...resources.flatMap(({ type, isNameable }) => (isNameable ? [type] : [])),
];

/** A kind of what a service has besides the parts of a graph. */
export type ApartKind = 'namespace' | 'enforcement';

/** Names a part of a graph. */
export interface Subject {
  type: ResourceType | 'service' | 'other' | 'promise';
  /** Name of a role, group, alias, policy, entity or other node; path of a method; title of a message; address of a service; a promise in words. */
  name: string;
  /** Path of the auth method, for a role or an alias. */
  method?: string;
  /** Field of the model, for example `boundAudiences`. */
  field?: string;
  /** Of what stands in no list of a graph, which `name` has in words: how it is written as known. */
  apart?: { kind: ApartKind; name: string };
  /** Path of its namespace below the environment's own. Absent in that, and where all subjects are of one. */
  namespace?: string;
}

/** A part, or one of its fields, as the subject of a finding. */
export function subjectOf<Part>(resource: Resource<Part, ResourceType>, part: Part, field?: string): Subject {
  const path = resource.methodOf?.(part);
  return defined({ type: resource.type, name: resource.nameOf(part), method: path, field });
}

/** A subject with its namespace; as it is in the environment's own. */
export function subjectWithin(namespace: string, subject: Subject): Subject {
  return namespace === '' ? subject : { ...subject, namespace };
}

/** What a finding about a role, or one of its fields, is about. */
export function roleSubject(part: Role, field?: keyof Role): Subject {
  return subjectOf(role, part, field);
}

/** An auth method, or a field of its configuration. */
export function methodSubject(part: AuthMethod, field?: keyof AuthMethod['config']): Subject {
  return subjectOf(method, part, field);
}

export function groupSubject(part: ExternalGroup, field?: keyof ExternalGroup): Subject {
  return subjectOf(group, part, field);
}

export function aliasSubject(part: GroupAlias): Subject {
  return subjectOf(alias, part);
}

/**
 * A subject as reports write it, and as exceptions, known things, `--take-over` and `--target` name it: `role cluster/web`, in
 * quotes where that is not one word. `other` and a promise are words already.
 */
export function subjectName(subject: Subject): string {
  const { type, name, namespace } = subject;
  if (type !== 'other' && type !== 'promise') return partName(type, subjectPath(subject));
  const words = type === 'promise' ? `promise (${name})` : name;
  return namespace === undefined ? words : `${words} in ${partName('namespace', namespace)}`;
}

/** Whether a text is how a subject is written, in quotes or without. */
export function isSubjectNamed(subject: Subject, text: string): boolean {
  const path = subjectPath(subject);
  // A name with quotes of its own would be read as another one in quotes.
  const bare = path.startsWith('"') ? [] : [`${subject.type} ${path}`];
  const key = nameKey(text.trim());
  return [subjectName(subject), ...bare].some((name) => nameKey(name) === key);
}

/** Its name after what it is in: `ci/build`. */
export function subjectPath({ name, method: path, namespace }: Subject): string {
  return [namespace, path, name].filter((part) => part !== undefined).join('/');
}

/** The same for one part, however its name is spelt. */
export function subjectKey(subject: Omit<Subject, 'type'> & { type: string }): string {
  const { type, name, method: path, namespace } = subject;
  const key = [type, path, resourceNamed(type)?.key(name) ?? name];
  return JSON.stringify(namespace === undefined ? key : [...key, namespace]);
}

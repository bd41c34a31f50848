import type { AuthMethod } from './resources/auth-method.ts';
import type { ExternalGroup, GroupAlias } from './resources/external-group.ts';
import type { Role } from './resources/role.ts';

/** What `--target` and `--exclude` can name, as in `role web`. A provider is everything that it declares. */
export const nameableParts = ['provider', 'method', 'role', 'group', 'policy', 'message'] as const;

/** Names a part of a state. */
export interface Subject {
  type:
    | 'service'
    | 'method'
    | 'role'
    | 'group'
    | 'alias'
    | 'policy'
    | 'message'
    | 'entity'
    | 'other'
    | 'promise';
  /** Name of a role, group, alias, policy, entity or other access; path of a method; title of a message; address of a service; a promise in words. */
  name: string;
  /** Path of the auth method, for a role or an alias. */
  method?: string;
  /** Field of the model, for example `boundAudiences`. */
  field?: string;
}

/** A role, or one of its fields, as the subject of a finding. */
export function roleSubject({ method, name }: Role, field?: keyof Role): Subject {
  return { type: 'role', name, method, ...(field === undefined ? {} : { field }) };
}

/** An auth method, or a field of its configuration. */
export function methodSubject({ path }: AuthMethod, field?: keyof AuthMethod['config']): Subject {
  return { type: 'method', name: path, ...(field === undefined ? {} : { field }) };
}

/** An external group, or one of its fields. */
export function groupSubject({ name }: ExternalGroup, field?: keyof ExternalGroup): Subject {
  return { type: 'group', name, ...(field === undefined ? {} : { field }) };
}

/** A group alias. */
export function aliasSubject({ name, method }: GroupAlias): Subject {
  return { type: 'alias', name, method };
}

/** A subject in words: `role "web" of auth/cluster`. */
export function subjectText({ type, name, method }: Subject): string {
  if (type === 'method') return `auth/${name}`;
  if (type === 'other') return name;
  if (type === 'promise') return `promise (${name})`;
  return `${type} ${JSON.stringify(name)}${method === undefined ? '' : ` of auth/${method}`}`;
}

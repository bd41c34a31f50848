import { isUnset } from '../values/json.ts';
import { textOf, textsOf } from '../values/loose-values.ts';
import { plainName } from '../values/visible.ts';
import type { ByName } from './field.ts';

/** What an auth method of a type has that gives policies. */
export interface MethodList {
  /** Where it is listed below the mount: `role`. */
  path: string;
  /** Where each one is read, if not there. */
  read?: string;
  /** What one is called. */
  noun: 'role' | 'user' | 'group' | 'team';
  /** Whether a sign-in has its policies in addition to others of the mount. Defaults to false: one sign-in, one of these. */
  unites?: true;
  /** Whether who signs in picks of its policies. Defaults to false: a sign-in has all of them. */
  picks?: true;
  /** Whether who signs in has an alias of the same name, in any case (tried on OpenBao 2.7.2). Defaults to one of another name. */
  isAlias?: true;
  /** Field of the method's configuration that says where they are. */
  where?: string;
  /** Who signs in by it, in words. Other bounds stand beside them. */
  who(name: string, fields: ByName, where?: string): string;
  /** Fields that these words say. Defaults to none. */
  says?: readonly string[];
}

const directory: readonly MethodList[] = [
  { path: 'groups', noun: 'group', unites: true, who: peopleIn },
  { path: 'users', noun: 'user', unites: true, who: (name) => `user ${plainName(name)}` },
];

/**
 * Auth methods that are read and never written, by the type of their mount
 * (docs/inside/measured/identity.md#other-methods, after the API documents of Vault and OpenBao). The fields that are
 * read hold no secret id, password or key. A type without a row is unknown, and its grants too.
 */
const byType: Readonly<Record<string, readonly MethodList[]>> = {
  approle: [{ path: 'role', noun: 'role', who: appRole, says: ['bind_secret_id'] }],
  kubernetes: [
    {
      path: 'role',
      noun: 'role',
      where: 'kubernetes_host',
      who: serviceAccounts,
      says: [
        'bound_service_account_names',
        'bound_service_account_namespaces',
        'bound_service_account_namespace_selector',
      ],
    },
  ],
  userpass: [{ path: 'users', noun: 'user', isAlias: true, who: (name) => `user ${plainName(name)}` }],
  ldap: directory,
  okta: directory,
  radius: [{ path: 'users', noun: 'user', who: (name) => `user ${plainName(name)}` }],
  kerberos: [{ path: 'groups', noun: 'group', unites: true, who: peopleIn }],
  github: [
    { path: 'map/teams', noun: 'team', unites: true, who: (name) => `people in team ${plainName(name)}` },
    { path: 'map/users', noun: 'user', unites: true, who: (name) => `user ${plainName(name)}` },
  ],
  cert: [{ path: 'certs', noun: 'role', who: certificates }],
  aws: [{ path: 'roles', read: 'role', noun: 'role', who: workloads }],
  gcp: [{ path: 'roles', read: 'role', noun: 'role', who: workloads }],
  azure: [{ path: 'role', noun: 'role', who: workloads }],
  alicloud: [{ path: 'role', noun: 'role', who: workloads }],
  oci: [{ path: 'role', noun: 'role', who: workloads }],
  cf: [{ path: 'roles', noun: 'role', who: workloads }],
  saml: [{ path: 'role', noun: 'role', who: (name) => `people of role ${plainName(name)}` }],
  token: [
    {
      path: 'roles',
      noun: 'role',
      picks: true,
      who: (name) => `tokens made with token role ${plainName(name)}`,
    },
  ],
};

/** Where a type's configuration has policies of everyone who signs in, or of users that it does not list (Vault, path_config.go). */
export const configured: Readonly<Record<string, string>> = {
  ldap: 'config',
  okta: 'config',
  radius: 'config',
  github: 'config',
  kerberos: 'config/ldap',
};

/** What a type of auth method has; undefined for one that is not known. */
export function listsOf(type: string): readonly MethodList[] | undefined {
  return Object.hasOwn(byType, type) ? byType[type] : undefined;
}

/** What a sign-in by a type of method says of who it is. */
interface SignIn {
  /** Field of its metadata with the role, user or certificate. Defaults to none. */
  field?: string;
  /** What is named there, or by the alias: people, or workloads alone. Defaults to roles, which may be of either. */
  of?: 'people' | 'workloads';
}

const signIns: Readonly<Record<string, SignIn>> = {
  jwt: { field: 'role' },
  oidc: { field: 'role' },
  saml: { field: 'role' },
  userpass: { field: 'username', of: 'people' },
  ldap: { field: 'username', of: 'people' },
  radius: { field: 'username', of: 'people' },
  okta: { field: 'username', of: 'people' },
  cert: { field: 'cert_name', of: 'people' },
  github: { of: 'people' },
  kerberos: { of: 'people' },
  kubernetes: { field: 'role', of: 'workloads' },
  gcp: { field: 'role', of: 'workloads' },
  azure: { field: 'role', of: 'workloads' },
  approle: { field: 'role_name', of: 'workloads' },
  alicloud: { field: 'role_name', of: 'workloads' },
  oci: { field: 'role_name', of: 'workloads' },
  aws: { of: 'workloads' },
  cf: { of: 'workloads' },
};

const signInOf = (type: string): SignIn => (Object.hasOwn(signIns, type) && signIns[type]) || {};

/**
 * The role, user or certificate of a sign-in. What people write into metadata is none: only the field counts that the method
 * itself writes. Empty where it names none.
 *
 * @param type of the method; empty where it is not known
 * @param path below its mount
 */
export function signedInBy(type: string, path: string, metadata: Readonly<Record<string, string>>): string {
  const { field } = signInOf(type);
  const named = field !== undefined && Object.hasOwn(metadata, field) ? metadata[field] : undefined;
  if (named !== undefined && named !== '') return named;
  const isOfUsers = type === '' || field === 'username';
  return (isOfUsers && /^login\/([^/]+)$/.exec(path)?.[1]?.toLowerCase()) || '';
}

/** Whether what signs in by a method of a type is named after people: users, and certificates. Also of a type that is not known. */
export const namesPeople = (type: string): boolean => type === '' || signInOf(type).of === 'people';

/** Whether only workloads sign in by a method of a type: their names are no people. */
export const isOfWorkloads = (type: string): boolean => signInOf(type).of === 'workloads';

/** Where what has policies at a method of a type is written: `users/ann`, `roles/maker`. */
export function writtenAt(type: string, noun: string, name: string): string {
  const { path = noun, read = path } = listNamed(type, noun);
  return `${read}/${name}`;
}

/** The row of what is called so; for a type that is not known, a role stands alone and all else unites. */
export function listNamed(type: string, noun: string): Partial<MethodList> {
  const lists = listsOf(type);
  if (lists === undefined) return noun === 'role' ? {} : { unites: true };
  return lists.find((list) => list.noun === noun) ?? {};
}

function peopleIn(name: string): string {
  return `people in directory group ${plainName(name)}`;
}

function appRole(name: string, { bind_secret_id: needsSecret }: ByName): string {
  return needsSecret === false
    ? `jobs that know the role id of AppRole ${plainName(name)}`
    : `jobs that hold a secret id of AppRole ${plainName(name)}`;
}

function serviceAccounts(_name: string, fields: ByName, where?: string): string {
  const names = textsOf(fields['bound_service_account_names']);
  const namespaces = textsOf(fields['bound_service_account_namespaces']);
  const selector = textOf(fields['bound_service_account_namespace_selector']);
  const accounts = names.includes('*') ? 'every service account' : several('service account', names);
  const cluster = where === undefined ? '' : ` at cluster ${where}`;
  if (namespaces.includes('*')) return `${accounts} of every namespace${cluster}`;
  // A namespace that is listed, or selected, is enough.
  const within = [
    ...(namespaces.length > 0 ? [several('namespace', namespaces)] : []),
    ...(selector ? [`namespaces that ${selector} selects`] : []),
  ].join(' or of ');
  return `${accounts}${within === '' ? '' : ` of ${within}`}${cluster}`;
}

function several(noun: string, names: readonly string[]): string {
  return `${noun}${names.length === 1 ? '' : 's'} ${names.map(plainName).join(', ')}`;
}

function certificates(name: string, fields: ByName): string {
  const isAny = !Object.entries(fields).some(
    ([field, value]) => /^(allowed_(?!metadata)|required_)/.test(field) && !isUnset(value),
  );
  return `holders of ${isAny ? 'any certificate' : 'a certificate'} of the CA of ${plainName(name)}`;
}

function workloads(name: string): string {
  return `workloads of role ${plainName(name)}`;
}

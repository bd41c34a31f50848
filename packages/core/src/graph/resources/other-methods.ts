import { isUnset } from '../values/json.ts';
import { textOf, textsOf } from '../values/loose-values.ts';
import { plainName } from '../values/visible.ts';
import type { ByName } from './field.ts';

/**
 * What an entry of a list is called, and what it is: a `person`, whose name snapshots and reports hide, `people` who sign in by
 * something else, or a `role`.
 */
const nouns = {
  role: 'role',
  user: 'person',
  group: 'people',
  team: 'people',
} as const satisfies Record<string, 'role' | 'person' | 'people'>;
export type RoleNoun = keyof typeof nouns;
export const roleNouns = Object.keys(nouns) as RoleNoun[];

/** Whether an entry is signed in by, as no one is by a group or a team that they are in. */
export const signsInByItself = (noun: RoleNoun): boolean => nouns[noun] !== 'people';

/** Whether the name of an entry is that of a person. */
export const namesPerson = (noun: RoleNoun): boolean => nouns[noun] === 'person';

/** What an auth method of a type has that gives policies. */
export interface MethodList {
  /** Where it is listed below the mount: `role`. */
  path: string;
  /** Where each one is read, and written, if not there. */
  read?: string;
  /** What one is called. */
  noun: RoleNoun;
  /** Its resource in Terraform. Defaults to `vault_<type>_auth_backend_<noun>`. */
  terraform?: string;
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

/** What a sign-in by a type of method says of who it is. */
interface SignIn {
  /** Field of its metadata with the role, user or certificate. Defaults to none. */
  field?: string;
  /** What is named there, or by the alias: people, or workloads alone. Defaults to roles, which may be of either. */
  of?: 'people' | 'workloads';
}

/** A type of auth method that is read and never written. */
interface ReadType {
  lists: readonly MethodList[];
  /** No one signs in by the method of tokens: it has an empty one. */
  signIn: SignIn;
  /** Where its configuration has policies of everyone who signs in, or of users that it does not list (Vault, path_config.go). Defaults to nowhere. */
  configuration?: string;
}

const users: MethodList = { path: 'users', noun: 'user', who: (name) => `user ${plainName(name)}` };
const groups: MethodList = { path: 'groups', noun: 'group', unites: true, who: peopleIn };
const directory: readonly MethodList[] = [groups, { ...users, unites: true }];
const ofPeople: SignIn = { field: 'username', of: 'people' };
const ofRoles: SignIn = { field: 'role', of: 'workloads' };
const ofNamedRoles: SignIn = { field: 'role_name', of: 'workloads' };

/**
 * Auth methods that are read and never written, by the type of their mount
 * (docs/inside/measured/identity.md#other-methods, after the API documents of Vault and OpenBao). The fields that are
 * read hold no secret id, password or key. A type without a row is unknown, and its grants too.
 *
 * The lists of `method-lists.ts` follow from it, in its order.
 */
const byType: Readonly<Record<string, ReadType>> = {
  approle: {
    signIn: ofNamedRoles,
    lists: [{ path: 'role', noun: 'role', who: appRole, says: ['bind_secret_id'] }],
  },
  kubernetes: {
    signIn: ofRoles,
    lists: [
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
  },
  aws: {
    signIn: { of: 'workloads' },
    lists: [{ path: 'roles', read: 'role', noun: 'role', who: workloads }],
  },
  gcp: { signIn: ofRoles, lists: [{ path: 'roles', read: 'role', noun: 'role', who: workloads }] },
  azure: { signIn: ofRoles, lists: [{ path: 'role', noun: 'role', who: workloads }] },
  alicloud: { signIn: ofNamedRoles, lists: [{ path: 'role', noun: 'role', who: workloads }] },
  oci: { signIn: ofNamedRoles, lists: [{ path: 'role', noun: 'role', who: workloads }] },
  cf: { signIn: { of: 'workloads' }, lists: [{ path: 'roles', noun: 'role', who: workloads }] },
  userpass: { signIn: ofPeople, lists: [{ ...users, isAlias: true }] },
  radius: { signIn: ofPeople, configuration: 'config', lists: [users] },
  ldap: { signIn: ofPeople, configuration: 'config', lists: directory },
  okta: { signIn: ofPeople, configuration: 'config', lists: directory },
  kerberos: { signIn: { of: 'people' }, configuration: 'config/ldap', lists: [groups] },
  cert: {
    signIn: { field: 'cert_name', of: 'people' },
    lists: [{ path: 'certs', noun: 'role', who: certificates }],
  },
  saml: {
    signIn: { field: 'role' },
    lists: [{ path: 'role', noun: 'role', who: (name) => `people of role ${plainName(name)}` }],
  },
  github: {
    signIn: { of: 'people' },
    configuration: 'config',
    lists: [
      {
        path: 'map/teams',
        noun: 'team',
        terraform: 'vault_github_team',
        unites: true,
        who: (name) => `people in team ${plainName(name)}`,
      },
      { ...users, path: 'map/users', terraform: 'vault_github_user', unites: true },
    ],
  },
  token: {
    signIn: {},
    lists: [
      {
        path: 'roles',
        noun: 'role',
        picks: true,
        who: (name) => `tokens made with token role ${plainName(name)}`,
      },
    ],
  },
};

/** Every list of every type. */
export const allLists: readonly (MethodList & { type: string })[] = Object.entries(byType).flatMap(
  ([type, { lists }]) => lists.map((list) => ({ ...list, type })),
);

const rowOf = (type: string): ReadType | undefined =>
  Object.hasOwn(byType, type) ? byType[type] : undefined;

/** What a type of auth method has; undefined for one that is not known. */
export function listsOf(type: string): readonly MethodList[] | undefined {
  return rowOf(type)?.lists;
}

/** Where below a mount its configuration has policies; undefined where it has none. */
export function configurationOf(type: string): string | undefined {
  return rowOf(type)?.configuration;
}

function signInOf(type: string): SignIn {
  const isManaged = type === 'jwt' || type === 'oidc';
  return isManaged ? { field: 'role' } : (rowOf(type)?.signIn ?? {});
}

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

import type { ByName } from '../resources/field.ts';
import { listNamed, type RoleNoun, writtenAt } from '../resources/other-methods.ts';
import { givingPolicies, policiesIn } from '../resources/policy.ts';
import { whoSignsIn } from '../resources/who-signs-in.ts';
import { isUnset } from '../values/json.ts';
import { defined } from '../values/loose-values.ts';
import { nameKey } from '../values/name-key.ts';
import { type Bounds, boundsOf, type NotedMetadata, namedIn, notedMetadata, ofMount } from './bounds.ts';

/** Where a role, user, group or team of another method stands. */
export interface OtherRoleAt {
  /** Path of the auth method. */
  method: string;
  /** Type of the auth method: `approle`; `token` for token roles. */
  type: string;
  noun: RoleNoun;
  /** As the service spells it. Names are told apart without regard to case. */
  name: string;
}

/** A role, user, group or team of another method, or a token role. */
export interface OtherRole extends OtherRoleAt, Bounds, NotedMetadata {
  kind: 'otherRole';
  /** Who signs in by it, in words, where that is known: `jobs that hold a secret id of AppRole app`. */
  who?: string;
  policies: string[];
  /** What it gives is not known, or not all of it. Defaults to false. */
  isOpaque?: true;
}

/** A role that is a program (CEL): what it gives is not looked into. */
export interface ProgramRole {
  kind: 'program';
  method: string;
  name: string;
}

/** A credential of an AppRole that a plan makes. */
export interface AppRoleSecretId extends Bounds, NotedMetadata {
  kind: 'secretId';
  method: string;
  role: string;
  /** Of its resource: a role has any number of secret ids. */
  address: string;
}

/** The type of its resource within an address of Terraform, of whichever provider. */
const secretIdType = /(^|\.)[a-z]+_approle_auth_backend_role_secret_id\./;

/**
 * What its resource is called, as the service gives a secret id no name: `shop`, `module.shop.this[0]`. Two of one role are
 * told apart by it, and it stays where others come or go.
 */
export function secretIdName({ address }: Pick<AppRoleSecretId, 'address'>): string {
  const isUrn = address.startsWith('urn:');
  return isUrn ? address.slice(address.lastIndexOf('::') + 2) : address.replace(secretIdType, '$1');
}

/**
 * The node of a role, user, group or team, made of its fields in a plan or on a service: its policies, what bounds it, and who
 * signs in by it, in words.
 *
 * @param fields by names on the wire
 * @param where the party that the method asks, for the words: `https://cluster.example.com`
 */
export function otherRole(at: OtherRoleAt, fields: ByName, where?: string): OtherRole {
  const { type, noun, name } = at;
  const { who, says } = listNamed(type, noun);
  const policies = policiesIn(fields, givingPolicies);
  const isSet = (field: string) => !isUnset(fields[field]);
  // With nothing but names that are refused, a creator may ask for any other; with nothing at all, for their own.
  const isOpen =
    isSet('allowed_policies_glob') ||
    (policies.length === 0 && (isSet('disallowed_policies') || isSet('disallowed_policies_glob')));
  const decided = boundsOf(fields, [namedIn(fields).field, ...ofMount]);
  return {
    kind: 'otherRole',
    ...at,
    policies,
    ...decided,
    ...notedMetadata(fields),
    ...defined({ who: who && whoSignsIn({ who, says }, { name, where }, fields, decided.bounds) }),
    ...(type === 'token' && isOpen && { isOpaque: true as const }),
  };
}

/** Whether a sign-in has its policies in addition to those of others of the method. */
export function unitesWithOthers({ type, noun }: OtherRoleAt): boolean {
  return listNamed(type, noun).unites === true;
}

/** Whether who signs in picks of its policies. */
export function picksPolicies({ type, noun }: OtherRoleAt): boolean {
  return listNamed(type, noun).picks === true;
}

/** The alias that everyone has who signs in by it, in lower case; undefined where any may be. */
export function ownAlias({ type, noun, name }: OtherRoleAt): string | undefined {
  return listNamed(type, noun).isAlias ? nameKey(name) : undefined;
}

/** The path that it is written at: `auth/people/users/ann`. */
export function pathOfRole({ method, type, noun, name }: OtherRoleAt): string {
  return `auth/${method}/${writtenAt(type, noun, nameKey(name))}`;
}

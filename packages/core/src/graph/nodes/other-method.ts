import type { ByName } from '../resources/field.ts';
import { policiesIn } from '../resources/policy.ts';
import { isObject, isUnset } from '../values/json.ts';
import { blockOf } from '../values/loose-values.ts';
import { type Bounds, boundsOf, type NotedMetadata, notedMetadata } from './bounds.ts';

/** An auth method that is read and never written: every type but OIDC and JWT. */
export interface OtherMethod extends Bounds, NotedMetadata {
  kind: 'otherMethod';
  path: string;
  type: string;
  /** Policies that its own configuration gives to everyone who signs in there, or to users that it does not list. */
  policies: string[];
  /** Whether a token has some of these policies: those of the groups that a person is in. Defaults to false: all. */
  picks?: true;
  /** What it gives is not known, or not all of it. Defaults to false. */
  isOpaque?: true;
}

/** A setting of such a method that a plan has as a resource of its own. */
export interface MethodConfiguration extends Bounds, NotedMetadata {
  kind: 'configuration';
  /** Path of the auth method. */
  method: string;
  type: string;
  /** Which of several settings it is, in words: `configuration`, `client configuration`. */
  part: string;
}

/** Fields of a method's own configuration that give policies. */
export const methodPolicies = ['token_policies', 'policies', 'unregistered_user_policies'];

/** @param fields of the mount and of its configuration, by names on the wire */
export function otherMethod(path: string, type: string, fields: ByName): OtherMethod {
  // Okta's groups and users are blocks of its configuration: a person is in some of them.
  const blocks = [fields['group'], fields['user']].flat().filter(isObject);
  const policies = [fields, ...blocks].flatMap((part) => policiesIn(part, methodPolicies));
  return {
    kind: 'otherMethod',
    path,
    type,
    policies: [...new Set(policies)],
    ...boundsOf({ ...fields, tune: leasesIn(fields['tune']) }, ['path', ...methodPolicies]),
    ...notedMetadata(fields),
    ...(blocks.length > 0 && { picks: true as const }),
  };
}

/** What a mount's tuning says of its tokens: the rest shows, logs and lets through headers. */
function leasesIn(tune: unknown): ByName {
  const { token_type: type, default_lease_ttl, max_lease_ttl } = blockOf(tune) ?? {};
  const token_type = type === 'default-service' ? undefined : type;
  const leases = Object.entries({ token_type, default_lease_ttl, max_lease_ttl });
  return Object.fromEntries(leases.filter(([, value]) => !isUnset(value)));
}

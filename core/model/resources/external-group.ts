import { z } from 'zod';
import { policyNames } from './policy.ts';

/** A group of the secrets service whose members the provider decides at sign-in. */
export interface ExternalGroup {
  name: string;
  policies: string[];
  metadata?: Record<string, string>;
}

/**
 * What ties a provider's group to an external group (interface.md B4). The accessor and the group's id are the
 * service's own; here both are by name.
 */
export interface GroupAlias {
  /** The provider's identifier of the group, for example a directory group's object id. */
  name: string;
  /** Path of the auth method (`mount_accessor` on the wire). */
  method: string;
  /** Name of the external group (`canonical_id` on the wire). */
  group: string;
}

/** An external group with its alias, as a person writes it below a provider. */
export const groupSettings = z.strictObject({
  name: z.string().min(1),
  policies: policyNames.default([]),
  /** The provider's identifier of the group. One only: the service keeps one alias of a group in effect. */
  alias: z.string().min(1),
  metadata: z.record(z.string(), z.string()).optional(),
});
export type GroupSettings = z.output<typeof groupSettings>;

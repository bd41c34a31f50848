import type { UnknownPolicies } from './usage-reason.ts';

/** Who a request, or a sign-in, was by: what the log has in clear of a token. */
export interface LoggedPrincipal {
  /** The mount's path and the alias's name, joined by a hyphen: `staff-alice`. */
  name: string;
  /** Id of the entity; empty without one. */
  entity: string;
  /** Everything that is written on the token: by the method, and by people. */
  metadata: Readonly<Record<string, string>>;
  tokenPolicies: readonly string[];
  /** Those of its entity and groups, at that time. */
  identityPolicies: readonly string[];
  /** All of them together. */
  policies: readonly string[];
  /** Why what it may do is not known here; absent where its policies are. */
  unknown?: UnknownPolicies;
  /** Where its token is from, as far as the log has that. */
  lineage?: Lineage;
}

/** Where a token is from: the sign-in that began it, or the token that no sign-in began. */
export interface Lineage {
  /** Path of the auth method, without `auth/`; `token` where no sign-in of the log began it. */
  method: string;
  /** The role, user or certificate that was signed in with; empty where none is named. */
  role: string;
  /** Type of the method; empty where the log leaves it out. */
  type: string;
  /** Only workloads sign in by it. */
  isOfWorkloads?: true;
  /** Path of the namespace of the sign-in. */
  namespace: string;
  /** That is another one than what is asked about: a role here that is called the same is another one. */
  isElsewhere?: true;
  /** How another token made it; absent for that of a sign-in. */
  making?: Making;
}

/** How a token made another one. */
export interface Making {
  by: LoggedPrincipal;
  /** The request, for asking whether it may be made again. */
  request: AskedRequest;
  /** The token role; empty without one. */
  role: string;
  /** Its policies are those of its maker, or of the token role: none were asked for. */
  inherits: boolean;
  /** It asked for more than what a maker without `sudo` may ask for. */
  isOrphan: boolean;
}

/** A request as policies see it. */
export interface AskedRequest {
  operation: string;
  /** As the policies call it: from their namespace down. */
  path: string;
  /** The namespace below that of the policies that it was asked in; absent for theirs. It begins the path. */
  below?: string;
  /** Path of the secrets engine, from that namespace down, where it is of type `pki`. */
  pki?: string;
  /** Its fields by name, with the values of those that are watched; of others, and of other devices, null. */
  fields: Readonly<Record<string, unknown>>;
  /** Time to live of the wrapped response that was asked for, in seconds. */
  wrapping?: number;
}

/** Where a request would be asked today. */
export type PresentPlace = Pick<AskedRequest, 'path' | 'below' | 'pki'>;

/** Equal requests of equal principals, counted. */
export interface LoggedRequest extends AskedRequest {
  /** Where it would be asked today; absent where no mount was moved from its path. */
  present?: readonly PresentPlace[];
  by: LoggedPrincipal;
  outcome: 'allowed' | 'refused';
  count: number;
  /** Milliseconds since 1970. */
  last: number;
  /** Id of the last one. */
  id: string;
}

/** A stored client token; the token itself is stored only as a hash. Times are nanoseconds. */
export interface StoredToken {
  /** SHA-256 of the token, hex. */
  hash: string;
  /** Empty for a batch token. */
  accessor: string;
  type: 'service' | 'batch';
  namespace: string;
  /** Without the identity's policies, which are read at each use. */
  policies: string[];
  displayName: string;
  /** Path that created it, for example `auth/staff/login`. */
  path: string;
  metadata: Record<string, string>;
  entityId?: string;
  /** The provider's names of the external groups of a sign-in, for renewals. Absent for other tokens. */
  groups?: string[];
  /** Hash of the parent; absent for an orphan. */
  parent?: string;
  created: bigint;
  renewed?: bigint;
  /** Absent: never expires (root). */
  expires?: bigint;
  /** Seconds. */
  ttl: number;
  /** Seconds that renewals can reach; 0 for no limit. */
  maxTtl: number;
  /** Seconds that even a period cannot exceed; 0 for no limit. */
  explicitMaxTtl: number;
  /** Seconds that each renewal adds, without end; 0 for none. */
  period: number;
  /** 0: no limit; -1: the last use is in progress. */
  usesLeft: number;
  renewable: boolean;
  /** Empty: every address. */
  boundCidrs: string[];
}

/** The access that a token's policies granted to a request. */
export interface Granted {
  /** As the token's policies call it. */
  path: string;
  capability: string;
  isFolder: boolean;
}

export const perSecond = 1_000_000_000n;

/** Seconds that a token has left, rounded up; 0 for one that never expires. */
export function secondsLeft({ expires }: StoredToken, now: bigint): number {
  return expires === undefined ? 0 : Number((expires - now + perSecond - 1n) / perSecond);
}

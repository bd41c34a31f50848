/** A client token of the secrets service, as it is kept: by the hash of its id, never in clear. Times are nanoseconds. */
export interface Token {
  /** SHA-256 of the token, hex. */
  hash: string;
  /** Empty for a batch token. */
  accessor: string;
  type: 'service' | 'batch';
  namespace: string;
  /** Policies of the token itself; the identity's are worked out at each use. */
  policies: string[];
  displayName: string;
  /** Path that made it, for example `auth/staff/login`. */
  path: string;
  metadata: Record<string, string>;
  entityId?: string;
  /** Of a sign-in: those of the provider's names for groups that are external groups here. A renewal goes by them. */
  groups?: string[];
  /** Hash of the token that made it; absent for an orphan. */
  parent?: string;
  created: bigint;
  renewed?: bigint;
  /** Absent: never ends (root). */
  expires?: bigint;
  /** Seconds. */
  ttl: number;
  maxTtl: number;
  explicitMaxTtl: number;
  period: number;
  /** Uses left; 0 means without limit, -1 that the last one is being made. */
  usesLeft: number;
  renewable: boolean;
  boundCidrs: string[];
}

export const perSecond = 1_000_000_000n;

/** Whole seconds that a token has left, rounded up; 0 for one that never ends. */
export function secondsLeft({ expires }: Token, now: bigint): number {
  return expires === undefined ? 0 : Number((expires - now + perSecond - 1n) / perSecond);
}

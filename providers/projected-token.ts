import { mountedTokenSeconds } from '@gatehouse/core/graph';
import { GatehouseError, limits } from '@gatehouse/core/values';

/** Arguments of a token volume. */
export interface ProjectedTokenArgs {
  /** Name of the volume. Defaults to `gatehouse-token`. */
  name?: string;
  /** Audience of the token: one of the role's bound audiences. */
  audience: string;
  /** Seconds that the token lives; at least 600. Defaults to 3600. */
  expirationSeconds?: number;
}

/** A pod volume, as Kubernetes and `@pulumi/kubernetes` take it. */
export interface TokenVolume {
  /** Its name in the pod. */
  name: string;
  /** What it holds. */
  projected: TokenProjection;
}

/** What the volume holds. */
export interface TokenProjection {
  /** One: the token. */
  sources: TokenSource[];
}

/** A part of what the volume holds. */
export interface TokenSource {
  /** The token. */
  serviceAccountToken: ServiceAccountToken;
}

/** A token of the pod's service account. */
export interface ServiceAccountToken {
  /** Whom it is for. */
  audience: string;
  /** Seconds that it lives. */
  expirationSeconds: number;
  /** File of the volume. */
  path: string;
}

/**
 * A pod volume with a service account token of a chosen audience, in the file `token` (docs/inside/specification.md
 * B-4). Short-lived on purpose: a revoked token stays valid until it expires.
 *
 * @throws GatehouseError `token_expiration_invalid` for less than 600 seconds, or a fraction.
 */
export function projectedToken(args: ProjectedTokenArgs): TokenVolume {
  const { name = 'gatehouse-token', audience, expirationSeconds = mountedTokenSeconds } = args;
  if (!Number.isInteger(expirationSeconds) || expirationSeconds < limits.serviceAccountTokenSeconds) {
    throw new GatehouseError('token_expiration_invalid', {
      given: `${expirationSeconds} seconds`,
      allowed: `a whole number of seconds, at least ${limits.serviceAccountTokenSeconds}`,
      values: { seconds: limits.serviceAccountTokenSeconds },
    });
  }
  return {
    name,
    projected: { sources: [{ serviceAccountToken: { audience, expirationSeconds, path: 'token' } }] },
  };
}

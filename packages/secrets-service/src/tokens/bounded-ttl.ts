import { formatDuration } from '@gatehouse/core/graph';
import { smallestOf } from '@gatehouse/core/values';
import { perSecond, type StoredToken } from './token.ts';

interface BoundedTtlArgs {
  /** Requested seconds, used without a period. */
  requested: number;
  /** Seconds until the next renewal is due; 0 for none. */
  period: number;
  /** Seconds since creation, for a token without a period; 0 for no limit. */
  maxTtl: number;
  /** Seconds since creation, for every token; 0 for no limit. */
  explicitMaxTtl: number;
  created: bigint;
  now: bigint;
}

/**
 * Seconds that a token lives from now on, with warnings if its limits shortened them (openbao/openbao
 * sdk/framework/lease.go). Undefined past its limits.
 */
export function boundedTtl(args: BoundedTtlArgs): { ttl: number; warnings: string[] } | undefined {
  const { requested, maxTtl, explicitMaxTtl, created, now } = args;
  const warnings: string[] = [];
  const capped = (what: 'TTL' | 'period', seconds: number, most: number) => {
    if (seconds <= most) return seconds;
    warnings.push(
      `${what} of "${inHours(seconds)}" exceeded the effective max_ttl of "${inHours(most)}"; ${what} value is capped accordingly`,
    );
    return most;
  };
  const bound = least(maxTtl, explicitMaxTtl);
  const period = args.period === 0 ? 0 : capped('period', args.period, bound);
  const left = (period === 0 ? bound : least(explicitMaxTtl)) - Number(now / perSecond - created / perSecond);
  if (left <= 0) return undefined;
  return { ttl: capped('TTL', period || requested, left), warnings };
}

/** The lowest limit; 0 is none. */
function least(...bounds: number[]): number {
  return smallestOf(bounds.filter((bound) => bound > 0));
}

/** Real servers write durations without days. */
function inHours(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const rest = seconds % 3600;
  return `${hours === 0 ? '' : `${hours}h`}${rest === 0 && hours > 0 ? '' : formatDuration(rest)}`;
}

/**
 * A renewed token, for its period or the requested time. Undefined past its limits.
 *
 * @param increment Requested seconds.
 * @param lifetime Current limits in seconds. Defaults to the token's.
 */
export function renewedToken(
  token: StoredToken,
  now: bigint,
  increment: number,
  { maxTtl, period }: Pick<StoredToken, 'maxTtl' | 'period'> = token,
): { token: StoredToken; warnings: string[] } | undefined {
  const bounded = boundedTtl({ ...token, maxTtl, period, requested: increment, now });
  if (bounded === undefined) return undefined;
  const { ttl, warnings } = bounded;
  return { token: { ...token, renewed: now, expires: now + BigInt(ttl) * perSecond }, warnings };
}

import { formatDuration } from '../../../core/model/values/duration.ts';
import { perSecond, type Token } from './token.ts';

export interface BoundedTtlArgs {
  /** Seconds asked for, where there is no period. */
  wanted: number;
  /** Seconds that each renewal gives; 0 for none. */
  period: number;
  /** Seconds from its making that a token without a period can reach; 0 for no bound. */
  maxTtl: number;
  /** Seconds from its making that no token passes; 0 for no bound. */
  explicitMaxTtl: number;
  created: bigint;
  now: bigint;
}

/**
 * Seconds that a token lives from now on, in whole seconds throughout, and a warning where its bounds cut them short
 * (openbao/openbao sdk/framework/lease.go). Undefined past its bounds.
 */
export function boundedTtl(args: BoundedTtlArgs): { ttl: number; warnings: string[] } | undefined {
  const { wanted, maxTtl, explicitMaxTtl, created, now } = args;
  const warnings: string[] = [];
  const capped = (what: 'TTL' | 'period', given: number, most: number) => {
    if (given <= most) return given;
    warnings.push(
      `${what} of "${inHours(given)}" exceeded the effective max_ttl of "${inHours(most)}"; ${what} value is capped accordingly`,
    );
    return most;
  };
  const bound = least(maxTtl, explicitMaxTtl);
  const period = args.period === 0 ? 0 : capped('period', args.period, bound);
  const left = (period === 0 ? bound : least(explicitMaxTtl)) - Number(now / perSecond - created / perSecond);
  if (left <= 0) return undefined;
  return { ttl: capped('TTL', period || wanted, left), warnings };
}

/** The lowest bound; 0 is no bound. */
function least(...bounds: number[]): number {
  return Math.min(...bounds.filter((bound) => bound > 0), Number.POSITIVE_INFINITY);
}

/** As real servers write durations: nothing above hours. */
function inHours(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const rest = seconds % 3600;
  return `${hours === 0 ? '' : `${hours}h`}${rest === 0 && hours > 0 ? '' : formatDuration(rest)}`;
}

/**
 * A token whose life begins anew: for the period, or for the time asked for, within what the bounds leave of it.
 * Undefined for a token past its bounds.
 *
 * @param increment seconds asked for
 * @param lifetime seconds; what holds now, the token's own where nothing else does
 */
export function renewedToken(
  token: Token,
  now: bigint,
  increment: number,
  { maxTtl, period }: Pick<Token, 'maxTtl' | 'period'> = token,
): { token: Token; warnings: string[] } | undefined {
  const bounded = boundedTtl({ ...token, maxTtl, period, wanted: increment, now });
  if (bounded === undefined) return undefined;
  const { ttl, warnings } = bounded;
  return { token: { ...token, renewed: now, expires: now + BigInt(ttl) * perSecond }, warnings };
}

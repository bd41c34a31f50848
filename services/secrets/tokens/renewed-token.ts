import { formatDuration } from '../../../core/model/duration.ts';
import { perSecond, type Token } from './token.ts';

/**
 * A token whose life begins anew: for the period, or for the time asked for, within what the bounds leave of it.
 *
 * @param increment seconds asked for
 * @param lifetime seconds; what holds now, the token's own where nothing else does
 */
export function renewedToken(
  token: Token,
  now: bigint,
  increment: number,
  { maxTtl, period }: Pick<Token, 'maxTtl' | 'period'> = token,
): { token: Token; warnings: string[] | undefined } {
  const bounds = [period === 0 ? maxTtl : 0, token.explicitMaxTtl].filter((bound) => bound > 0);
  const bound = bounds.length === 0 ? undefined : Math.min(...bounds);
  const end = bound === undefined ? undefined : token.created + BigInt(bound) * perSecond;
  const wanted = now + BigInt(period || increment) * perSecond;
  const isCapped = end !== undefined && wanted > end;
  return {
    token: { ...token, renewed: now, expires: isCapped ? end : wanted },
    warnings: isCapped ? [cappedTtl(period || increment, bound ?? 0)] : undefined,
  };
}

export function cappedTtl(given: number, bound: number): string {
  const [wanted, most] = [inHours(given), inHours(bound)];
  return `TTL of "${wanted}" exceeded the effective max_ttl of "${most}"; TTL value is capped accordingly`;
}

/** As real servers write durations: nothing above hours. */
function inHours(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const rest = seconds % 3600;
  return `${hours === 0 ? '' : `${hours}h`}${rest === 0 && hours > 0 ? '' : formatDuration(rest)}`;
}

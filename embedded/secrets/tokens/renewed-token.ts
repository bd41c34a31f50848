import { Refusal } from '../refusal.ts';
import { boundedTtl } from './bounded-ttl.ts';
import { perSecond, type Token } from './token.ts';

/**
 * A token whose life begins anew: for the period, or for the time asked for, within what the bounds leave of it.
 *
 * @param increment seconds asked for
 * @param lifetime seconds; what holds now, the token's own where nothing else does
 * @throws {Refusal} 400 for a token past its bounds
 */
export function renewedToken(
  token: Token,
  now: bigint,
  increment: number,
  { maxTtl, period }: Pick<Token, 'maxTtl' | 'period'> = token,
): { token: Token; warnings: string[] | undefined } {
  const bounded = boundedTtl({ ...token, maxTtl, period, wanted: increment, now });
  if (bounded === undefined) throw new Refusal(400, 'past the max TTL, cannot renew');
  const { ttl, warnings } = bounded;
  return {
    token: { ...token, renewed: now, expires: now + BigInt(ttl) * perSecond },
    warnings: warnings.length === 0 ? undefined : warnings,
  };
}

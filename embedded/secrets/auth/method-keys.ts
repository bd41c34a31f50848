import { type KeySet, keyFromPem, type VerificationKey } from '../../../core/login/key-set.ts';
import { LoginRefused, LoginStep } from '../../../core/login/login-refused.ts';
import type { Keys } from '../../../core/login/signature.ts';
import { type Config, issuerPlace, jwksPlaces } from './config.ts';
import type { Issuers } from './issuers.ts';

/** The keys that tokens of a method are verified with: its own, its issuer's, or those of its documents of keys. */
export function methodKeys(config: Config, issuers: Issuers, now: bigint): Keys {
  const configured = config.jwt_validation_pubkeys;
  if (configured.length > 0) {
    const keys = configured.flatMap((pem) => readOnce(pem) ?? []);
    return () => ({ source: 'configured', keys });
  }
  return async (id): Promise<KeySet> => {
    try {
      const issuer = issuerPlace(config);
      const places = jwksPlaces(config);
      if (issuer !== undefined) {
        const { jwks_uri: url } = await issuers.discovery(issuer, now);
        places.push({ url, caPem: issuer.caPem });
      }
      const sets = await Promise.all(places.map((place) => issuers.keys(place, now, id)));
      return { source: 'published', keys: sets.flatMap(({ keys }) => keys) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      throw new LoginRefused(
        LoginStep.token,
        `error validating token: error verifying token signature: fetching keys ${reason}`,
      );
    }
  };
}

/** Keys by their text, for reading one costs as much as verifying with it; the most lately read last. */
const read = new Map<string, VerificationKey>();
const mostRead = 500;

function readOnce(pem: string): VerificationKey | undefined {
  const known = read.get(pem) ?? keyFromPem(pem);
  if (known === undefined) return undefined;
  read.set(pem, known);
  if (read.size > mostRead) read.delete(read.keys().next().value ?? '');
  return known;
}

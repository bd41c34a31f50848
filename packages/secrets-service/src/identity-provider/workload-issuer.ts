import { randomUUID } from 'node:crypto';
import { kindById, type ProviderKind } from '@gatehouse/core/graph';
import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Issuer, SigningKey } from './issuer.ts';

const jwksPath = '/openid/v1/jwks';

/**
 * The issuer of service account tokens: a public discovery document and JWKS (docs/inside/specification.md B-4), and no
 * sign-in.
 *
 * @param former keys that signed before, and are still published. Default to none.
 */
export function createWorkloadIssuer(url: string, key: SigningKey, former: readonly JWK[] = []): Issuer {
  const documents = new Map<string, { type: string; body: string }>([
    [
      '/.well-known/openid-configuration',
      {
        type: 'application/json',
        body: JSON.stringify({
          issuer: url,
          jwks_uri: `${url}${jwksPath}`,
          response_types_supported: ['id_token'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        }),
      },
    ],
    [
      jwksPath,
      { type: 'application/jwk-set+json', body: JSON.stringify({ keys: [key.publicJwk, ...former] }) },
    ],
  ]);
  return {
    url,
    key,
    async handle(request, response) {
      const document = documents.get(request.url ?? '');
      if (document === undefined) {
        response.writeHead(404).end();
      } else if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      } else {
        response.writeHead(200, { 'Content-Type': document.type }).end(document.body);
      }
    },
  };
}

export interface WorkloadTokenArgs {
  /** The kind of the issuer. Defaults to the kind for workloads. */
  kind?: ProviderKind;
  /** For a service account `system:serviceaccount:<namespace>:<name>`. */
  subject: string;
  /** Defaults to the issuer. */
  audience?: string | string[];
  /** Claims to add or replace. Defaults to none. */
  claims?: JWTPayload;
  /** Seconds. Defaults to 3600. Negative: already expired. */
  expiresIn?: number;
}

/** Signs a token like those the issuer's platform gives its workloads. */
export async function signWorkloadToken(
  kind: ProviderKind,
  issuer: Issuer,
  args: WorkloadTokenArgs,
): Promise<string> {
  const { subject, audience = issuer.url, claims = {}, expiresIn = 3600 } = args;
  const now = Math.floor(Date.now() / 1000);
  const { kid, alg = 'RS256' } = issuer.key.privateJwk;
  return new SignJWT({
    iss: issuer.url,
    sub: subject,
    aud: [audience].flat(),
    iat: now,
    nbf: now,
    exp: now + expiresIn,
    jti: randomUUID(),
    ...kindById(kind).embedded?.workloadClaims?.(subject, randomUUID()),
    ...claims,
  })
    .setProtectedHeader({ alg, kid })
    .sign(await importJWK(issuer.key.privateJwk, alg));
}

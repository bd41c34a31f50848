import type { Issuer } from './issuer.ts';
import type { SigningKey } from './signing-key.ts';

const jwksPath = '/openid/v1/jwks';

/**
 * The issuer of a container orchestrator's service account tokens: a discovery document and a JWKS that anyone
 * may read (interface.md B-4), and nothing to sign in at.
 */
export function createWorkloadIssuer(url: string, key: SigningKey): Issuer {
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
    [jwksPath, { type: 'application/jwk-set+json', body: JSON.stringify({ keys: [key.publicJwk] }) }],
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

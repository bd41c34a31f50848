import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { GatehouseError } from '../core/model/values/errors.ts';

const limits = { milliseconds: 10_000, bytes: 64 * 1024 };

/**
 * Reads a cluster's issuer from its well-known OpenID configuration document (interface.md B-4, method 1, step 2).
 *
 * @param apiServer Address of the cluster's API, for example `https://10.0.0.1:6443`.
 * @param caPem CA certificate to trust. Defaults to the host's own.
 * @throws GatehouseError `issuer_unreadable` when there is no such document, or callers who are not signed in may
 * not read it.
 */
export async function readIssuer(apiServer: string, caPem?: string): Promise<string> {
  const url = `${apiServer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const fail = (what: string, cause?: unknown) =>
    new GatehouseError({
      code: 'issuer_unreadable',
      where: url,
      what,
      fix: 'open the issuer’s discovery documents (cluster.openDiscovery), give caPem where the cluster has its own CA, or give the issuer itself',
      cause,
    });
  let body: string;
  try {
    body = await get(url, caPem);
  } catch (cause) {
    throw fail(`the document could not be read: ${(cause as Error).message}`, cause);
  }
  try {
    const issuer = (JSON.parse(body) as { issuer?: unknown } | null)?.issuer;
    if (typeof issuer === 'string' && URL.canParse(issuer)) return issuer;
  } catch (cause) {
    throw fail('this is no JSON document', cause);
  }
  throw fail('the document has no issuer');
}

function get(url: string, caPem: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? requestHttps : requestHttp;
    const options = {
      signal: AbortSignal.timeout(limits.milliseconds),
      ...(caPem === undefined ? {} : { ca: caPem }),
    };
    const sent = request(url, options, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`the cluster answered ${response.statusCode}`));
        return;
      }
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
        if (body.length > limits.bytes) sent.destroy(new Error(`it is longer than ${limits.bytes} bytes`));
      });
      response.on('end', () => resolve(body));
    });
    sent.on('error', reject);
    sent.end();
  });
}

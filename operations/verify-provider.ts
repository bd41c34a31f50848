import { DiscoveryError, DiscoveryProblem, readDiscovery, readKeys } from '../client/discovery.ts';
import { exchange } from '../client/exchange.ts';
import { keyFromPem } from '../core/login/key-set.ts';
import type { AuthMethod } from '../core/model/resources/auth-method.ts';
import { methodSubject } from '../core/model/subject.ts';
import { attempt, type Check } from './check.ts';

/** Seconds that the clocks of provider and service may be apart: what a role allows by default (facts/jwt-oidc.md). */
const clockSkew = 60;

/** Tries whether the keys of a method are to be had, with which algorithms, and whether its provider's clock is right. */
export async function verifyProvider(method: AuthMethod, serviceAddress: string): Promise<Check[]> {
  const subject = methodSubject(method);
  const { jwtValidationPubkeys: pems, jwksUrl, jwksCaPem = '', oidcDiscoveryUrl } = method.config;
  if (pems?.length) {
    return [
      await attempt(subject, 'its public keys', async () => {
        const wrong = pems.findIndex((pem) => keyFromPem(pem) === undefined);
        if (wrong >= 0) throw new Error(`number ${wrong + 1} is no public key in PEM`);
        return `${pems.length} in the configuration`;
      }),
    ];
  }
  if (jwksUrl) return [await attempt(subject, 'its keys', async () => keysAt(jwksUrl, jwksCaPem))];
  if (!oidcDiscoveryUrl) return [];
  return verifyDiscovery(method, oidcDiscoveryUrl, serviceAddress);
}

async function verifyDiscovery(method: AuthMethod, issuer: string, serviceAddress: string): Promise<Check[]> {
  const subject = methodSubject(method);
  const caPem = method.config.oidcDiscoveryCaPem ?? '';
  let read: Awaited<ReturnType<typeof readDiscovery>> | undefined;
  const discovery = await attempt(subject, 'its discovery document', async () => {
    read = await readDiscovery({ url: issuer, caPem }).catch((error: unknown) => {
      // The service asks without signing in; so do we.
      const isClosed = error instanceof DiscoveryError && error.problem === DiscoveryProblem.status;
      throw isClosed
        ? new Error(`${error.message}: it must be open to callers who are not signed in`)
        : error;
    });
    return issuer;
  });
  if (read === undefined) return [discovery];
  const { document, date } = read;
  return [
    discovery,
    ...(await Promise.all([
      attempt(subject, 'its keys', () => keysAt(document.jwks_uri, caPem)),
      attempt(subject, 'its algorithms', async () =>
        algorithms(method, document['id_token_signing_alg_values_supported']),
      ),
      attempt(subject, 'its clock', () => clocks(date, serviceAddress)),
    ])),
  ];
}

async function keysAt(url: string, caPem: string): Promise<string> {
  const keys = await readKeys({ url, caPem });
  if (keys.length === 0) throw new Error(`${url} has no key that verifies signatures`);
  return `${keys.length} at ${url}`;
}

function algorithms({ type, config }: AuthMethod, offered: unknown): string {
  // A JWT method without a list takes whatever is signed with a key pair.
  const taken = config.jwtSupportedAlgs ?? (type === 'oidc' ? ['RS256'] : undefined);
  if (!Array.isArray(offered)) return 'the document names none';
  const common = offered.filter((name) => taken === undefined || taken.includes(name));
  if (common.length > 0) return common.join(', ');
  throw new Error(`the provider signs with ${offered.join(', ')}, and the method takes ${taken?.join(', ')}`);
}

/** Compares the clocks of the provider and of the service, by the `Date` of their answers. */
async function clocks(date: string | undefined, serviceAddress: string): Promise<string> {
  const providerAhead = secondsAhead(date);
  const health = await exchange(`${serviceAddress}/v1/sys/health?standbyok=true`).catch(() => undefined);
  const serviceAhead = secondsAhead(health?.headers['date']);
  if (providerAhead === undefined) return 'its answer has no date';
  // Where the service says nothing, this machine's clock stands in for its own.
  const apart = Math.round(providerAhead - (serviceAhead ?? 0));
  const than = serviceAhead === undefined ? 'this machine’s' : 'the service’s';
  const words = `${Math.abs(apart)} s ${apart < 0 ? 'behind' : 'ahead of'} ${than}`;
  if (Math.abs(apart) > clockSkew) throw new Error(`${words}: tokens are refused beyond ${clockSkew} s`);
  return words;
}

function secondsAhead(date: unknown): number | undefined {
  const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? undefined : (time - Date.now()) / 1000;
}

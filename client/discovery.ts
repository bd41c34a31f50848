import type { JWK } from 'jose';
import type { TokenRules } from '../core/login/compact-token.ts';
import { keysFromJwks, type VerificationKey } from '../core/login/key-set.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { type Answer, type ConnectionOptions, exchange } from './exchange.ts';

/** Milliseconds for a whole answer. */
const timeoutMs = 10_000;

export interface Place extends Pick<ConnectionOptions, 'caPem' | 'pinned'> {
  url: string;
}

/** The discovery document of an issuer. */
export interface Discovery {
  issuer: string;
  jwks_uri: string;
  [name: string]: unknown;
}

export const DiscoveryProblem = {
  unreachable: 'unreachable',
  status: 'status',
  notJson: 'notJson',
  noIssuer: 'noIssuer',
  otherIssuer: 'otherIssuer',
  noKeys: 'noKeys',
} as const;
export type DiscoveryProblem = (typeof DiscoveryProblem)[keyof typeof DiscoveryProblem];

/** What an issuer publishes cannot be used. The message is for the administrator. */
export class DiscoveryError extends Error {
  readonly problem: DiscoveryProblem;
  /** Of the answer, where that is the problem. */
  readonly status: number | undefined;

  constructor(problem: DiscoveryProblem, message: string, cause?: unknown, status?: number) {
    super(message, { cause });
    this.problem = problem;
    this.status = status;
  }
}

/**
 * Reads the discovery document of an issuer, without signing in.
 *
 * @param issuer the document must name its URL as the issuer
 * @returns the document, and the `Date` header
 * @throws DiscoveryError
 */
export async function readDiscovery(issuer: Place): Promise<{ document: Discovery; date?: string }> {
  const { json, date } = await readJson(wellKnown(issuer.url), issuer);
  const document = json as Partial<Discovery> | null;
  if (document?.issuer !== issuer.url) {
    // The words of a real secrets service.
    const words = `expected "${issuer.url}" got "${document?.issuer}"`;
    throw new DiscoveryError(
      DiscoveryProblem.otherIssuer,
      `issuer did not match the returned issuer, ${words}`,
    );
  }
  if (typeof document.jwks_uri !== 'string') {
    throw new DiscoveryError(DiscoveryProblem.noKeys, 'the discovery document has no jwks_uri');
  }
  return { document: document as Discovery, date };
}

/** Reads a JWKS document. @throws DiscoveryError */
export async function readJwks(place: Place): Promise<{ keys: JWK[] }> {
  const { json } = await readJson(place.url, place);
  const keys = (json as { keys?: unknown } | null)?.keys;
  if (Array.isArray(keys)) return { keys };
  throw new DiscoveryError(DiscoveryProblem.noKeys, `${JSON.stringify(place.url)} is not a JWKS document`);
}

/** Reads the keys of a JWKS document, without those that cannot verify signatures by these rules. @throws DiscoveryError */
export async function readKeys(place: Place, rules?: TokenRules): Promise<VerificationKey[]> {
  return keysFromJwks(await readJwks(place), rules) ?? [];
}

/**
 * Reads the issuer in a cluster's discovery document (interface.md B-4, method 1, step 2).
 *
 * @param apiServer address of the cluster's API, for example `https://10.0.0.1:6443`
 * @param caPem CA certificate to trust; defaults to the system's
 * @throws GatehouseError `issuer_unreadable`
 */
export async function readIssuer(apiServer: string, caPem?: string): Promise<string> {
  try {
    const { issuer } = ((await readJson(wellKnown(apiServer), { caPem })).json ?? {}) as Partial<Discovery>;
    if (typeof issuer === 'string' && URL.canParse(issuer)) return issuer;
    throw new DiscoveryError(
      DiscoveryProblem.noIssuer,
      `${JSON.stringify(wellKnown(apiServer))} names no issuer`,
    );
  } catch (cause) {
    throw new GatehouseError({
      code: 'issuer_unreadable',
      what: `The issuer of the cluster cannot be read: ${(cause as Error).message}`,
      fix: 'open the issuer’s discovery documents (cluster.openDiscovery), give caPem where the cluster has its own CA, or give the issuer itself',
      cause,
    });
  }
}

function wellKnown(url: string): string {
  return `${url.replace(/\/+$/, '')}/.well-known/openid-configuration`;
}

async function readJson(
  url: string,
  { caPem, pinned }: Omit<Place, 'url'>,
): Promise<{ json: unknown; date?: string }> {
  let answer: Answer;
  try {
    answer = await exchange(url, { caPem, pinned, signal: AbortSignal.timeout(timeoutMs) });
  } catch (cause) {
    const { message } = cause as Error;
    throw new DiscoveryError(DiscoveryProblem.unreachable, `GET ${JSON.stringify(url)}: ${message}`, cause);
  }
  const { status, headers, body } = answer;
  if (status !== 200) {
    const message = `${JSON.stringify(url)} answers ${status}`;
    throw new DiscoveryError(DiscoveryProblem.status, message, undefined, status);
  }
  try {
    const { date } = headers;
    return { json: JSON.parse(body.toString()), date: date?.toString() };
  } catch (cause) {
    throw new DiscoveryError(DiscoveryProblem.notJson, `${JSON.stringify(url)} is not JSON`, cause);
  }
}

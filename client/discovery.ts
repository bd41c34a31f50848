import { keysFromJwks, type VerificationKey } from '../core/login/key-set.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { type Answer, exchange } from './exchange.ts';

/** Milliseconds that an issuer may take for a whole answer. */
const timeoutMs = 10_000;

/** Where to look, and whom to trust there. */
export interface Place {
  url: string;
  /** CA certificates to trust, in PEM. Defaults to the system's, also where it is empty. */
  caPem?: string;
  /** Connects to this address instead of resolving the host's name. */
  pinned?: { address: string; family: number };
}

/** The discovery document of an issuer. */
export interface Discovery {
  issuer: string;
  jwks_uri: string;
  [name: string]: unknown;
}

/** Why what an issuer publishes cannot be used. */
export const DiscoveryProblem = {
  unreachable: 'unreachable',
  status: 'status',
  notJson: 'notJson',
  noIssuer: 'noIssuer',
  otherIssuer: 'otherIssuer',
  noKeys: 'noKeys',
} as const;
export type DiscoveryProblem = (typeof DiscoveryProblem)[keyof typeof DiscoveryProblem];

/** What an issuer publishes cannot be used. The message is for whoever configured it. */
export class DiscoveryError extends Error {
  readonly problem: DiscoveryProblem;

  constructor(problem: DiscoveryProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

/**
 * Reads the discovery document of an issuer, as a caller who is not signed in.
 *
 * @param issuer its URL is the issuer that the document has to name
 * @returns the document, and the `Date` of the answer
 * @throws DiscoveryError any problem
 */
export async function readDiscovery(issuer: Place): Promise<{ document: Discovery; date?: string }> {
  const { json, date } = await readJson(wellKnown(issuer.url), issuer);
  const document = json as Partial<Discovery> | null;
  if (document?.issuer !== issuer.url) {
    // In the words of a real secrets service.
    const words = `expected "${issuer.url}" got "${document?.issuer}"`;
    throw new DiscoveryError(
      DiscoveryProblem.otherIssuer,
      `issuer did not match the returned issuer, ${words}`,
    );
  }
  if (typeof document.jwks_uri !== 'string') {
    throw new DiscoveryError(DiscoveryProblem.noKeys, 'the discovery document has no jwks_uri');
  }
  return { document: document as Discovery, ...(date === undefined ? {} : { date }) };
}

/**
 * Reads the keys of a JWKS document. Keys that verify no signatures are left out.
 *
 * @throws DiscoveryError any problem but those of an issuer
 */
export async function readKeys(place: Place): Promise<VerificationKey[]> {
  const keys = keysFromJwks((await readJson(place.url, place)).json);
  if (keys !== undefined) return keys;
  throw new DiscoveryError(DiscoveryProblem.noKeys, `${JSON.stringify(place.url)} is not a JWKS document`);
}

/**
 * Reads the issuer that a cluster names in its discovery document (interface.md B-4, method 1, step 2).
 *
 * @param apiServer Address of the cluster's API, for example `https://10.0.0.1:6443`.
 * @param caPem CA certificate to trust. Defaults to the host's own.
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
    throw new DiscoveryError(DiscoveryProblem.status, `${JSON.stringify(url)} answers ${status}`);
  }
  try {
    const { date } = headers;
    return { json: JSON.parse(body.toString()), ...(typeof date === 'string' ? { date } : {}) };
  } catch (cause) {
    throw new DiscoveryError(DiscoveryProblem.notJson, `${JSON.stringify(url)} is not JSON`, cause);
  }
}

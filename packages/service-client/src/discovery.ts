import { jwksFrom } from '@gatehouse/core/graph';
import { keysFromJwks, type TokenRules, type VerificationKey } from '@gatehouse/core/login';
import { GatehouseError } from '@gatehouse/core/values';
import type { JWK } from 'jose';
import { type Answer, type ConnectionOptions, exchange } from './exchange.ts';

/** Milliseconds for a whole answer. */
const timeoutMs = 10_000;

/** Where an issuer's documents are, and how to reach them. */
export interface DocumentSource extends Pick<ConnectionOptions, 'caPem' | 'pinned'> {
  url: string;
}

/** The discovery document of an issuer. */
export interface Discovery {
  issuer: string;
  jwks_uri: string;
  [name: string]: unknown;
}

interface DiscoveryProblem {
  cause?: unknown;
  status?: number;
  issuer?: string;
}

/** What an issuer publishes cannot be used. The message is for the administrator. */
export class DiscoveryError extends Error {
  /** The status of the answer, where that is the problem. */
  readonly status: number | undefined;
  /** The issuer that the document names, where that is not the one that was asked. */
  readonly issuer: string | undefined;

  constructor(message: string, { cause, status, issuer }: DiscoveryProblem = {}) {
    super(message, { cause });
    this.status = status;
    this.issuer = issuer;
  }
}

/**
 * Reads the discovery document of an issuer, without signing in.
 *
 * @param issuer the document must name its URL as the issuer
 * @returns the document, and the `Date` header
 * @throws DiscoveryError
 */
export async function readDiscovery(issuer: DocumentSource): Promise<{ document: Discovery; date?: string }> {
  const { json, date } = await readJson(wellKnown(issuer.url), issuer);
  const document = json as Partial<Discovery> | null;
  if (document?.issuer !== issuer.url) {
    // The words of a real secrets service.
    const words = `expected "${issuer.url}" got "${document?.issuer}"`;
    const named = document?.issuer;
    throw new DiscoveryError(
      `issuer did not match the returned issuer, ${words}`,
      typeof named === 'string' ? { issuer: named } : {},
    );
  }
  if (typeof document.jwks_uri !== 'string') {
    throw new DiscoveryError('the discovery document has no jwks_uri');
  }
  return { document: document as Discovery, date };
}

/** Reads a JWKS document. @throws DiscoveryError */
export async function readJwks(place: DocumentSource): Promise<{ keys: JWK[] }> {
  const { json } = await readJson(place.url, place);
  const keys = (json as { keys?: unknown } | null)?.keys;
  if (Array.isArray(keys)) return { keys };
  throw new DiscoveryError(`${JSON.stringify(place.url)} is not a JWKS document`);
}

/** Reads the keys of a JWKS document, without those that cannot verify signatures by these rules. @throws DiscoveryError */
export async function readKeys(place: DocumentSource, rules?: TokenRules): Promise<VerificationKey[]> {
  return keysFromJwks(await readJwks(place), rules) ?? [];
}

/**
 * Reads the issuer in a cluster's discovery document (docs/inside/specification.md B-4, method 1, step 2).
 *
 * @param apiServer address of the cluster's API, for example `https://10.0.0.1:6443`
 * @param caPem CA certificate to trust; defaults to the system's
 * @throws GatehouseError `issuer_unreadable`
 */
export async function readIssuer(apiServer: string, caPem?: string): Promise<string> {
  return ofCluster('issuer', async () => {
    const { issuer } = ((await readJson(wellKnown(apiServer), { caPem })).json ?? {}) as Partial<Discovery>;
    if (typeof issuer === 'string' && URL.canParse(issuer)) return issuer;
    throw new DiscoveryError(`${JSON.stringify(wellKnown(apiServer))} names no issuer`);
  });
}

/**
 * Reads the public keys of a cluster (docs/inside/specification.md B-4, method 2, step 1).
 *
 * @param apiServer address of the cluster's API. Not the `jwks_uri` of its document, which may name an address inside the
 * cluster's network: every API server has its keys at this path as well
 * @param caPem CA certificate to trust; defaults to the system's
 * @throws GatehouseError `cluster_keys_unreadable`
 */
export async function readClusterKeys(
  apiServer: string,
  caPem?: string,
): Promise<NonNullable<ReturnType<typeof jwksFrom>>> {
  return ofCluster('keys', async () => {
    const url = below(apiServer, '/openid/v1/jwks');
    const document = jwksFrom((await readBody({ url, caPem })).text);
    if (document !== undefined) return document;
    throw new DiscoveryError(`${JSON.stringify(url)} is not a JWKS document`);
  });
}

const unread = {
  issuer: { open: 'issuer_unreadable.cluster', closed: 'issuer_unreadable.closed' },
  keys: { open: 'cluster_keys_unreadable', closed: 'cluster_keys_unreadable.closed' },
} as const;

async function ofCluster<Read>(what: 'issuer' | 'keys', read: () => Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (cause) {
    const { message, status } = cause as DiscoveryError;
    const text = unread[what][status === 401 || status === 403 ? 'closed' : 'open'];
    throw new GatehouseError(text, { cause, values: { reason: message } });
  }
}

function wellKnown(url: string): string {
  return below(url, '/.well-known/openid-configuration');
}

function below(url: string, path: string): string {
  return `${url.replace(/\/+$/, '')}${path}`;
}

async function readJson(
  url: string,
  place: Omit<DocumentSource, 'url'>,
): Promise<{ json: unknown; date?: string | undefined }> {
  const { text, date } = await readBody({ ...place, url });
  try {
    return { json: JSON.parse(text), date };
  } catch (cause) {
    throw new DiscoveryError(`${JSON.stringify(url)} is not JSON`, { cause });
  }
}

async function readBody({
  url,
  caPem,
  pinned,
}: DocumentSource): Promise<{ text: string; date?: string | undefined }> {
  let answer: Answer;
  try {
    answer = await exchange(url, { caPem, pinned, signal: AbortSignal.timeout(timeoutMs) });
  } catch (cause) {
    const { message } = cause as Error;
    throw new DiscoveryError(`GET ${JSON.stringify(url)}: ${message}`, { cause });
  }
  const { status, headers, body } = answer;
  if (status !== 200) {
    throw new DiscoveryError(`${JSON.stringify(url)} answers ${status}`, { status });
  }
  return { text: body.toString(), date: headers['date']?.toString() };
}

import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { largestPlan, planTooLarge, previewType } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { Outbound, OutboundRequest } from '../outbound/outbound.ts';

/** Milliseconds for one answer, however large. */
const timeoutMs = 60_000;
/** A real platform redirects once, to where the plan is stored (docs/adr/0007); the storage may redirect, too. */
const mostHops = 3;
const redirects = [301, 302, 303, 307, 308];
const temporary = [204, 408, 425, 429];

/** The platform has no plan yet, or a temporary problem: the request is retried. */
export class PlanNotReady extends Error {}

interface PlanRequest {
  url: string;
  accessToken: string;
  userAgent: string;
  signal: AbortSignal;
}

/**
 * Fetches the plan of a run with its access token. A platform may redirect to a storage service: each address is checked
 * like the first, none may change from https to http, and the token is sent to no other origin.
 *
 * @throws PlanNotReady
 * @throws GatehouseError `plan_unavailable`, `plan_too_large`, `address_refused`; none holds the token or a whole address
 */
export async function fetchPlan(
  outbound: Pick<Outbound, 'request'>,
  { url, accessToken, userAgent, signal }: PlanRequest,
): Promise<Buffer> {
  let address = url;
  for (let hop = 0; hop <= mostHops; hop += 1) {
    const isFirst = URL.parse(address)?.origin === URL.parse(url)?.origin;
    const { status, headers, body } = await ask(outbound, {
      method: 'GET',
      url: address,
      headers: {
        // Plans of our own platform hold more in Pulumi's format than in Terraform's.
        accept: `${previewType}, application/json;q=0.9`,
        'accept-encoding': 'gzip, deflate, br',
        'user-agent': userAgent,
        ...(isFirst && { authorization: `Bearer ${accessToken}` }),
      },
      signal,
      timeoutMs,
      maxBytes: largestPlan,
    });
    if (status === 200) return await decodedPlan(body, headers['content-encoding']?.toString());
    const next = redirects.includes(status) ? URL.parse(String(headers['location'] ?? ''), address) : null;
    if (next === null) {
      const error = new GatehouseError('plan_unavailable', { values: { status } });
      if (temporary.includes(status) || status >= 500) throw new PlanNotReady(error.parts.what);
      throw error;
    }
    if (address.startsWith('https:') && next.protocol !== 'https:') {
      throw new GatehouseError('plan_unavailable.downgrade');
    }
    address = next.href;
  }
  throw new GatehouseError('plan_unavailable.redirects');
}

async function ask(outbound: Pick<Outbound, 'request'>, request: OutboundRequest) {
  try {
    return await outbound.request(request);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    if (code === 'EMSGSIZE') throw planTooLarge();
    const isLost = error instanceof GatehouseError && error.code === 'address_unreachable';
    if (!isLost || request.signal?.aborted) throw error;
    throw new PlanNotReady(error.message);
  }
}

type Decode = (body: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>;

const gzip: Decode = promisify(gunzip);

/** Decoders by their names in RFC 9110, section 8.4.1. `deflate` is zlib's format; a few servers leave out its header. */
const decoders: Record<string, Decode> = {
  gzip,
  'x-gzip': gzip,
  deflate: (body, limits) => promisify(((body[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(body, limits),
  br: promisify(brotliDecompress),
};

/**
 * Decodes a transferred plan, which may not be longer than the largest plan.
 *
 * @param encoding the header `Content-Encoding`
 * @throws GatehouseError `plan_too_large`, `plan_unavailable`
 */
async function decodedPlan(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  let plain = body;
  for (const name of names.filter((name) => name !== '' && name !== 'identity').reverse()) {
    const decode = decoders[name];
    if (decode === undefined) throw undecodable('plan_unavailable.encoding_unknown', name);
    try {
      plain = await decode(plain, { maxOutputLength: largestPlan });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw planTooLarge();
      throw undecodable('plan_unavailable.encoding_other', name);
    }
  }
  return plain;
}

function undecodable(
  text: 'plan_unavailable.encoding_unknown' | 'plan_unavailable.encoding_other',
  encoding: string,
): GatehouseError {
  return new GatehouseError(text, { given: encoding.slice(0, 50), allowed: 'gzip, deflate, br' });
}

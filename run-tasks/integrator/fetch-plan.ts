import { GatehouseError } from '../../core/model/values/errors.ts';
import { largestPlan } from '../../core/review/plan/read-plan.ts';
import type { Outbound } from '../outbound/outbound.ts';

/** Milliseconds for one answer, however large. */
const timeoutMs = 60_000;
/** A real platform redirects once, to where the plan is stored (docs/adr/0007); the storage may redirect, too. */
const mostHops = 3;

/** The platform has no plan yet, or a temporary problem: it is asked again. */
export class PlanNotReady extends Error {}

/**
 * Fetches the plan of a run with its access token. A platform may redirect to a storage service: each address is checked
 * like the first, none may change from https to http, and the token is sent to no other origin.
 *
 * @throws PlanNotReady · GatehouseError `plan_unavailable`, `address_refused`; none holds the token or a whole address
 */
export async function fetchPlan(
  outbound: Pick<Outbound, 'request'>,
  {
    url,
    accessToken,
    userAgent,
    signal,
  }: { url: string; accessToken: string; userAgent: string; signal: AbortSignal },
): Promise<Buffer> {
  let address = url;
  for (let hop = 0; hop <= mostHops; hop += 1) {
    const isFirst = URL.parse(address)?.origin === URL.parse(url)?.origin;
    const { status, headers, body } = await ask(outbound, {
      url: address,
      signal,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(isFirst ? { authorization: `Bearer ${accessToken}` } : {}),
      },
    });
    if (status === 200) return body;
    const next = isRedirect(status) ? URL.parse(String(headers['location'] ?? ''), address) : null;
    if (next === null) {
      if (status === 204 || status === 408 || status === 425 || status === 429 || status >= 500) {
        throw new PlanNotReady(`the platform answered ${status} instead of the plan`);
      }
      throw unavailable(`the platform answered ${status} instead of the plan`);
    }
    if (address.startsWith('https:') && next.protocol !== 'https:') {
      throw unavailable('the platform redirects from https to http');
    }
    address = next.href;
  }
  throw unavailable('the platform redirects too often');
}

async function ask(
  outbound: Pick<Outbound, 'request'>,
  { url, headers, signal }: { url: string; headers: Record<string, string>; signal: AbortSignal },
) {
  try {
    return await outbound.request({ method: 'GET', url, headers, signal, timeoutMs, maxBytes: largestPlan });
  } catch (error) {
    const isLost = error instanceof GatehouseError && error.code === 'address_unreachable';
    if (isLost && !signal.aborted && !/longer than/.test(error.message))
      throw new PlanNotReady(error.message);
    throw error;
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function unavailable(what: string): GatehouseError {
  return new GatehouseError({
    code: 'plan_unavailable',
    what,
    fix: 'Look at the run on the platform. A new run makes a new plan.',
  });
}

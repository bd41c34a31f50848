import { lookup as systemLookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { GatehouseError } from '@gatehouse/core/values';
import { type Answer, type ExchangeRequest, exchange } from '@gatehouse/service-client';

interface OutboundArgs {
  /**
   * Origins that may be called even if they are not public: `https://platform.example.com`, `http://127.0.0.1:8300`.
   * Defaults to every origin on the public internet.
   */
  allowedOrigins?: readonly string[];
  /**
   * Origins of this server, which may be called too: its platform and its integrator call each other. Asked for at
   * every request. Defaults to none.
   */
  ownOrigins?: () => readonly string[];
  /** Resolves a name to all its addresses. Defaults to the system's resolver. */
  lookup?: (host: string) => Promise<{ address: string; family: number }[]>;
}

export interface OutboundRequest extends Pick<ExchangeRequest, 'headers' | 'body' | 'maxBytes' | 'signal'> {
  method: 'GET' | 'POST' | 'PATCH';
  url: string;
  /** Milliseconds for the whole exchange. Defaults to 10 000. */
  timeoutMs?: number;
}

/**
 * Calls addresses that came from outside (a callback, a plan, a run task). A name is resolved once, all its addresses are
 * checked, and the connection goes to one of those, whatever the name resolves to later
 * (docs/inside/measured/weaknesses.md#server-side-request-forgery). Redirects are not followed.
 */
export class Outbound {
  readonly #allowed: ReadonlySet<string> | undefined;
  readonly #own: () => readonly string[];
  readonly #lookup: NonNullable<OutboundArgs['lookup']>;

  constructor({
    allowedOrigins,
    ownOrigins = () => [],
    lookup = (host) => systemLookup(host, { all: true }),
  }: OutboundArgs = {}) {
    this.#allowed = allowedOrigins && new Set(allowedOrigins.map((origin) => new URL(origin).origin));
    this.#own = ownOrigins;
    this.#lookup = lookup;
  }

  /**
   * Sends one request, and resolves with the answer, whatever its status.
   *
   * @throws GatehouseError `address_refused`, `address_unreachable`; neither holds a header or a body
   */
  async request(request: OutboundRequest): Promise<Answer> {
    const { url, timeoutMs = 10_000 } = request;
    const target = this.#checked(url);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    const pinned = await this.#judge(target, signal);
    try {
      return await exchange(url, { ...request, pinned, signal, idleMs: timeoutMs });
    } catch (error) {
      const cause = error as Error;
      throw addressUnreachable(target.origin, signal.aborted ? 'no answer in time' : cause.message, cause);
    }
  }

  /** Checks whether an address may be called, without resolving names. @throws GatehouseError `address_refused` */
  check(url: string): void {
    const target = this.#checked(url);
    const host = hostOf(target);
    if (isIP(host) !== 0) this.#judgeAddress(target, host);
  }

  #checked(url: string): URL {
    const target = URL.parse(url);
    if (target === null || !/^https?:$/.test(target.protocol) || target.username || target.password) {
      // The address may contain the password.
      throw addressRefused(
        target?.protocol ?? 'not a URL',
        'it is not an http or https URL without a password',
      );
    }
    const isNamed = this.#isNamed(target);
    if (this.#allowed !== undefined && !isNamed) {
      throw addressRefused(target.origin, 'it is not one of the allowed origins');
    }
    if (target.protocol === 'http:' && !isNamed) throw plainHttp(target);
    return target;
  }

  /** Whether the origin is allowed by name, and so may be on a private network. */
  #isNamed({ origin }: URL): boolean {
    return this.#allowed?.has(origin) === true || this.#own().includes(origin);
  }

  async #judge(target: URL, signal: AbortSignal): Promise<{ address: string; family: number }> {
    const host = hostOf(target);
    const literal = isIP(host);
    const addresses =
      literal === 0 ? await this.#resolve(target, host, signal) : [{ address: host, family: literal }];
    const [first] = addresses;
    if (first === undefined) throw addressUnreachable(target.origin, 'its name has no address');
    for (const { address } of addresses) this.#judgeAddress(target, address);
    return first;
  }

  /**
   * An allowed origin may be private, or use plain http, but a public address needs https, because a request carries a token.
   *
   * @throws GatehouseError `address_refused`
   */
  #judgeAddress(target: URL, address: string): void {
    if (isOfCloud(address))
      throw addressRefused(target.origin, 'it is where clouds give credentials to machines');
    const isPublic = isPublicAddress(address);
    if (!isPublic && !this.#isNamed(target))
      throw addressRefused(target.origin, 'it is not on the public internet');
    if (isPublic && target.protocol === 'http:') throw plainHttp(target);
  }

  async #resolve(target: URL, host: string, signal: AbortSignal) {
    try {
      return await orAborted(this.#lookup(host), signal);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      throw addressUnreachable(
        target.origin,
        signal.aborted ? 'no answer in time' : (code ?? message),
        cause,
      );
    }
  }
}

/** Waits for work until its signal is aborted; work that ignores its signal is abandoned. @throws the signal's reason */
export async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Ranges that are not on the public internet (RFC 6890 and its registries): loopback, private, shared, … */
const special = blockList(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '169.254.0.0/16',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);
/** The allocated part of IPv6, and the ranges in it that are not public or embed an IPv4 address. */
const global6 = blockList('2000::/3');
const special6 = blockList('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

/** Metadata services of clouds, in link-local ranges and elsewhere: AWS, Alibaba, Azure (its wire server), Oracle. */
const ofClouds = blockList('169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32');
const ofClouds6 = blockList('fe80::/10', 'fd00:ec2::/32', 'fd20:ce::/32');

function blockList(...ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}

function isOfCloud(address: string): boolean {
  if (isIPv4(address)) return ofClouds.check(address, 'ipv4');
  return ofClouds6.check(address, 'ipv6') || ofClouds.check(address, 'ipv6');
}

export function isPublicAddress(address: string): boolean {
  if (isOfCloud(address)) return false;
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

function plainHttp({ origin }: URL): GatehouseError {
  return addressRefused(origin, 'it is plain http, which is only for allowed origins on a private network');
}

function addressRefused(address: string, why: string): GatehouseError {
  return new GatehouseError('address_refused', { given: address.slice(0, 200), values: { reason: why } });
}

function addressUnreachable(origin: string, why: string, cause?: unknown): GatehouseError {
  return new GatehouseError('address_unreachable', { given: origin, cause, values: { reason: why } });
}

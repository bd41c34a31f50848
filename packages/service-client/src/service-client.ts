import { setTimeout as sleep } from 'node:timers/promises';
import { Dialect, GatehouseError, isObject, names } from '@gatehouse/core/values';
import type { Answer, ConnectionOptions, Connections } from './exchange.ts';
import {
  errorTexts,
  isSealed,
  isWorthRetrying,
  pauseBefore,
  type RequestSummary,
  refusal,
  unreachable,
} from './service-error.ts';
import { connectionsTo } from './shared-connections.ts';
import { placeOf, readOnce } from './shared-reads.ts';

export interface ServiceClientOptions extends ConnectionOptions {
  /** URL of the service, without `/v1`. */
  address: string;
  /** The spelling of headers. Defaults to `vault`. */
  dialect?: Dialect;
  token?: string;
  /** Namespace of every request. Defaults to the root namespace. */
  namespace?: string;
  /** Additional headers of every request. */
  headers?: Record<string, string>;
  /** Retries after a temporary failure. Defaults to 2. */
  maxRetries?: number;
  /** Milliseconds without a byte after which a request fails. Defaults to 60 000. */
  timeoutMs?: number;
  /** Within `sharingReads`, other such clients with the same token get the same answers. Defaults to false. */
  sharesReads?: boolean;
}

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** Parameters of a request's URL. */
type Query = Record<string, string>;

/** What a secrets service answered. */
export interface ServiceAnswer {
  /** The body's `data`, or the body itself if the service does not wrap it (`sys/seal-status`). */
  data: JsonObject;
  /** The body's `auth`: the token of a login or token creation. */
  auth?: JsonObject;
}

/** What a service says of a path that it has no handler for (hashicorp/vault `vault/router.go`, `sdk/logical/error.go`). */
const unknownPath = /no handler for route|unsupported path/;

/** Most bytes of a response. */
const largestBody = 64 * 1024 * 1024;

/**
 * A client of one secrets service, with keep-alive connections. After a temporary failure, a request is retried if that
 * is safe. Every failure is a `GatehouseError`: `address_invalid`, `token_invalid`, `path_invalid`,
 * `service_unreachable`, `not_a_service`, `service_sealed`, `service_redirects`, `permission_denied`, `not_found`,
 * `namespace_not_found`, `service_refused`, `answer_invalid`. None contains the token.
 */
export class ServiceClient {
  readonly #options: ServiceClientOptions;
  readonly #address: URL;
  readonly #connections: Pick<Connections, 'send' | 'close'>;
  /** The start of every request's path. */
  readonly #prefix: string;
  /** Headers of a request without a body. */
  readonly #headers: Record<string, string>;

  constructor(options: ServiceClientOptions, connections?: Pick<Connections, 'send' | 'close'>) {
    this.#address = parseAddress(options.address);
    this.#options = options;
    if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
      throw new GatehouseError('token_invalid');
    }
    this.#connections = connections ?? connectionsTo(this.#address, options);
    this.#prefix = `${this.#address.pathname.replace(/\/+$/, '')}/v1`;
    this.#headers = headersOf(options);
  }

  /** Namespace of every request; empty for the root's. */
  get namespace(): string {
    return (this.#options.namespace ?? '').replace(/^\/+|\/+$/g, '');
  }

  /** A client with other settings over this client's connections. `namespace` is relative to this client's. */
  with(settings: Pick<ServiceClientOptions, 'namespace' | 'token' | 'timeoutMs'>): ServiceClient {
    const namespace = [this.#options.namespace, settings.namespace].filter(Boolean).join('/') || undefined;
    return new ServiceClient({ ...this.#options, ...settings, namespace }, this.#connections);
  }

  /** Undefined if there is nothing at `path`. */
  async read(path: string, query: Query = {}): Promise<ServiceAnswer | undefined> {
    return await this.#get(path, query);
  }

  /** The list at `path`; undefined if it is empty. Sent as `GET …?list=true`, which every server supports. */
  async list(path: string, filters: Query = {}): Promise<ServiceAnswer | undefined> {
    return await this.#get(path, { list: 'true', ...filters });
  }

  /**
   * What the service says of itself, without a namespace: its version, and whether it is sealed. An address of anything else
   * answers every read with 404, as an empty service does.
   *
   * @throws GatehouseError `not_a_service`
   */
  async status(): Promise<JsonObject> {
    const root = new ServiceClient({ ...this.#options, namespace: undefined }, this.#connections);
    for (const [path, query] of statusPaths) {
      const status = (await root.read(path, query).catch(ifRefused))?.data;
      if (typeof status?.['version'] === 'string' && status['version'] !== '') return status;
    }
    throw new GatehouseError('not_a_service', { values: { address: this.#address.origin } });
  }

  /** An idempotent write, which may be retried. */
  async put(path: string, body: JsonObject): Promise<ServiceAnswer> {
    return (await this.#send('PUT', path, body)) ?? { data: {} };
  }

  /** A write that is not idempotent: retried only if the service cannot have executed it. */
  async post(path: string, body: JsonObject): Promise<ServiceAnswer> {
    return (await this.#send('POST', path, body)) ?? { data: {} };
  }

  /** Deletes what is at `path`, if anything. */
  async delete(path: string): Promise<void> {
    await this.#send('DELETE', path);
  }

  /** Closes the connections, which clients made by `with` share. */
  close(): void {
    this.#connections.close();
  }

  #get(path: string, query: Query): Promise<ServiceAnswer | undefined> {
    const read = () => this.#send('GET', path, undefined, query);
    const { sharesReads = false, namespace, token } = this.#options;
    return sharesReads ? readOnce(placeOf(this.#address, namespace), [token, path, query], read) : read();
  }

  async #send(
    method: string,
    path: string,
    body?: JsonObject,
    query: Query = {},
  ): Promise<ServiceAnswer | undefined> {
    const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
    const url = this.#urlPath(path) + search;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const summary: RequestSummary = { method, path, address: this.#address.origin };
    const idempotent = method !== 'POST';
    for (let attempt = 1; ; attempt++) {
      const isRetryAllowed = attempt <= (this.#options.maxRetries ?? 2);
      let answer: Answer;
      try {
        answer = await this.#exchange(method, url, payload);
      } catch (error) {
        const cause = error as NodeJS.ErrnoException;
        const isRetried = isRetryAllowed && isWorthRetrying({ errorCode: cause.code, idempotent });
        if (!isRetried) throw unreachable(summary, cause);
        await sleep(pauseBefore(attempt));
        continue;
      }
      const { status } = answer;
      const json = parseBody(answer, summary);
      if (status < 300) return json === undefined ? undefined : wrap(json);
      if (isRetryAllowed && !isSealed(status, json) && isWorthRetrying({ status, idempotent })) {
        const after = Number(answer.headers['retry-after']);
        await sleep(pauseBefore(attempt, after > 0 ? after : undefined));
        continue;
      }
      if (status === 404 && (method === 'GET' || method === 'DELETE')) {
        this.#checkNamespace(json);
        // An empty list has no reason. Taken for one, an unknown path would be a list of nothing.
        const isNone =
          query['list'] === undefined || !errorTexts(json).some((text) => unknownPath.test(text));
        if (isNone) return undefined;
      }
      throw refusal(summary, status, json);
    }
  }

  /** A missing namespace also answers 404. Taken for "gone", it would empty the state. */
  #checkNamespace(body: unknown): void {
    if (!errorTexts(body).some((text) => /namespace not found/i.test(text))) return;
    throw new GatehouseError('namespace_not_found', { given: this.#options.namespace });
  }

  #urlPath(path: string): string {
    const segments = path.split('/');
    if (segments.some((segment) => segment === '.' || segment === '..' || segment === '')) {
      throw new GatehouseError('path_invalid', { given: path });
    }
    return `${this.#prefix}/${segments.map(encodeURIComponent).join('/')}`;
  }

  #exchange(method: string, path: string, payload: string | undefined): Promise<Answer> {
    return this.#connections.send(path, {
      method,
      headers: payload ? { ...this.#headers, 'Content-Type': 'application/json' } : this.#headers,
      body: payload,
      idleMs: this.#options.timeoutMs ?? 60_000,
      maxBytes: largestBody,
    });
  }
}

/** Paths with the version of a service. A gateway may block one of them. */
const statusPaths: [path: string, query?: Query][] = [
  ['sys/seal-status'],
  ['sys/health', { standbyok: 'true', perfstandbyok: 'true', sealedcode: '200', uninitcode: '200' }],
];

function ifRefused(error: unknown): undefined {
  const isRefusal = error instanceof GatehouseError && refusals.includes(error.code);
  if (!isRefusal) throw error;
}

const refusals = ['permission_denied', 'service_refused', 'answer_invalid'];

function headersOf({
  dialect = Dialect.vault,
  token,
  namespace,
  headers,
}: ServiceClientOptions): Record<string, string> {
  const spelling = names[dialect];
  return {
    ...headers,
    [spelling.requestHeader]: 'true',
    ...(token && { [spelling.tokenHeader]: token }),
    ...(namespace && { [spelling.namespaceHeader]: namespace }),
  };
}

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new GatehouseError('address_invalid', {
      // The address may contain a password: it is not shown.
      allowed: 'for example https://secrets.example.com:8200',
    });
  }
  return url;
}

function parseBody({ status, body }: Answer, summary: RequestSummary): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    // A gateway's error page is an ordinary refusal.
    if (status >= 300) return undefined;
    throw new GatehouseError('answer_invalid', {
      cause,
      values: { method: summary.method, path: summary.path, address: summary.address },
    });
  }
}

function wrap(body: unknown): ServiceAnswer {
  const whole = isObject(body) ? body : {};
  const data = 'data' in whole ? whole['data'] : whole;
  const auth = isObject(whole['auth']) ? whole['auth'] : undefined;
  return { data: isObject(data) ? data : {}, auth };
}

import { GatehouseError } from '../core/model/values/errors.ts';
import { Dialect, names } from '../core/model/values/wire.ts';
import { type Answer, type ConnectionOptions, Connections } from './exchange.ts';
import {
  errorTexts,
  isSealed,
  isWorthRetrying,
  pause,
  pauseBefore,
  type RequestSummary,
  refusal,
  unreachable,
} from './service-error.ts';

export interface ServiceClientOptions extends ConnectionOptions {
  /** URL of the service's root, without `/v1`. */
  address: string;
  /** Which spelling of headers to send. Defaults to `vault`. */
  dialect?: Dialect;
  token?: string;
  /** Namespace of every request. Defaults to the root namespace. */
  namespace?: string;
  /** Sent with every request besides the client's own. */
  headers?: Record<string, string>;
  /** Repetitions of a request that failed for a passing reason. Defaults to 2. */
  maxRetries?: number;
  /** Milliseconds without a byte after which a request fails. Defaults to 60 000. */
  timeoutMs?: number;
}

export type JsonObject = Record<string, unknown>;

/** Parameters of a request's URL. */
type Query = Record<string, string>;

/** What the service answered. */
export interface ServiceAnswer {
  /** The body's `data`, or the body itself where the service does not wrap it (`sys/seal-status`). */
  data: JsonObject;
  /** The body's `auth`: what a login or the creation of a token gives. */
  auth?: JsonObject;
}

/** Bytes of an answer beyond which it is not the answer of a secrets service. */
const largestBody = 64 * 1024 * 1024;

/**
 * A client of one secrets service. Requests share kept-alive connections; those that failed for a passing
 * reason are sent again where that does nothing twice. Every failure is a `GatehouseError`: `address_invalid`,
 * `token_invalid`, `path_invalid`, `service_unreachable`, `service_sealed`, `service_redirects`,
 * `permission_denied`, `not_found`, `namespace_not_found`, `service_refused`, `answer_invalid`. None holds the token.
 */
export class ServiceClient {
  readonly #options: ServiceClientOptions;
  readonly #address: URL;
  readonly #connections: Connections;
  /** What the paths of all requests begin with. */
  readonly #prefix: string;
  /** Headers of a request without a body. */
  readonly #headers: Record<string, string>;

  constructor(options: ServiceClientOptions, connections?: Connections) {
    this.#address = parseAddress(options.address);
    this.#options = options;
    if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
      throw new GatehouseError({
        code: 'token_invalid',
        what: 'The token for the secrets service contains a space, a line break or another invalid character.',
        fix: 'Copy it again, without a trailing line break.',
      });
    }
    this.#connections = connections ?? new Connections(this.#address, options);
    this.#prefix = `${this.#address.pathname.replace(/\/+$/, '')}/v1`;
    this.#headers = headersOf(options);
  }

  /** The same connections with other settings. `namespace` is relative to this client's. */
  with({
    namespace,
    ...settings
  }: {
    namespace?: string;
    token?: string;
    timeoutMs?: number;
  }): ServiceClient {
    const inner = [this.#options.namespace, namespace].filter(Boolean).join('/');
    return new ServiceClient(
      { ...this.#options, ...settings, namespace: inner === '' ? undefined : inner },
      this.#connections,
    );
  }

  /** What is at `path`; undefined when nothing is. */
  async read(path: string, query: Query = {}): Promise<ServiceAnswer | undefined> {
    return await this.#send('GET', path, undefined, query);
  }

  /** The list at `path`; undefined when it is empty. Sent as `GET …?list=true`, which every server understands. */
  async list(path: string, filters: Query = {}): Promise<ServiceAnswer | undefined> {
    return await this.#send('GET', path, undefined, { list: 'true', ...filters });
  }

  /** Writes what does the same when it is written twice, so that it may be sent again. */
  async put(path: string, body: JsonObject): Promise<ServiceAnswer> {
    return (await this.#send('PUT', path, body)) ?? { data: {} };
  }

  /** Writes what makes something new each time: sent again only when the service cannot have done it. */
  async post(path: string, body: JsonObject): Promise<ServiceAnswer> {
    return (await this.#send('POST', path, body)) ?? { data: {} };
  }

  /** Deletes what is at `path`; nothing being there is fine. */
  async delete(path: string): Promise<void> {
    await this.#send('DELETE', path);
  }

  /** Closes the connections, of every client made from this one too. */
  close(): void {
    this.#connections.close();
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
      const more = attempt <= (this.#options.maxRetries ?? 2);
      let answer: Answer;
      try {
        answer = await this.#exchange(method, url, payload);
      } catch (error) {
        const cause = error as NodeJS.ErrnoException;
        if (!more || !isWorthRetrying({ errorCode: cause.code, idempotent }))
          throw unreachable(summary, cause);
        await pause(pauseBefore(attempt));
        continue;
      }
      const { status } = answer;
      const json = parseBody(answer, summary);
      if (status < 300) return json === undefined ? undefined : wrap(json);
      if (more && !isSealed(status, json) && isWorthRetrying({ status, idempotent })) {
        const after = Number(answer.headers['retry-after']);
        await pause(pauseBefore(attempt, after > 0 ? after : undefined));
        continue;
      }
      if (status === 404 && (method === 'GET' || method === 'DELETE')) {
        this.#checkNamespace(json);
        return undefined;
      }
      throw refusal(summary, status, json);
    }
  }

  /** A namespace that does not exist also answers 404; taken for "gone" it would empty the state. */
  #checkNamespace(body: unknown): void {
    if (!errorTexts(body).some((text) => /namespace not found/i.test(text))) return;
    throw new GatehouseError({
      code: 'namespace_not_found',
      what: 'The secrets service has no such namespace.',
      given: this.#options.namespace,
    });
  }

  #urlPath(path: string): string {
    const segments = path.split('/');
    if (segments.some((segment) => segment === '.' || segment === '..' || segment === '')) {
      throw new GatehouseError({
        code: 'path_invalid',
        what: 'A path on the secrets service has an empty, "." or ".." part.',
        given: path,
      });
    }
    return `${this.#prefix}/${segments.map(encodeURIComponent).join('/')}`;
  }

  #exchange(method: string, path: string, payload: string | undefined): Promise<Answer> {
    return this.#connections.send(path, {
      method,
      headers:
        payload === undefined ? this.#headers : { ...this.#headers, 'Content-Type': 'application/json' },
      ...(payload === undefined ? {} : { body: payload }),
      idleMs: this.#options.timeoutMs ?? 60_000,
      maxBytes: largestBody,
    });
  }
}

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
    ...(token === undefined ? {} : { [spelling.tokenHeader]: token }),
    ...(namespace === undefined ? {} : { [spelling.namespaceHeader]: namespace }),
  };
}

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new GatehouseError({
      code: 'address_invalid',
      what: 'The address of the secrets service is not a plain http or https URL.',
      // The address may hold a password; only its form is shown.
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
    // A gateway's error page is a refusal like any other; a page instead of an answer is not.
    if (status >= 300) return undefined;
    throw new GatehouseError({
      code: 'answer_invalid',
      what: `${summary.method} ${summary.path} was not answered with JSON.`,
      fix: `Check that ${summary.address} is a secrets service and not something in front of it.`,
      cause,
    });
  }
}

function wrap(body: unknown): ServiceAnswer {
  const whole = isJsonObject(body) ? body : {};
  const data = 'data' in whole ? whole['data'] : whole;
  return {
    data: isJsonObject(data) ? data : {},
    ...(isJsonObject(whole['auth']) ? { auth: whole['auth'] } : {}),
  };
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

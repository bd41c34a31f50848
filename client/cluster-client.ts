import { GatehouseError } from '../core/model/values/errors.ts';
import { isObject, objectIn } from '../core/model/values/json.ts';
import { type Answer, Connections } from './exchange.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import type { JsonObject } from './service-client.ts';

const timeoutMs = 30_000;

/** Sends requests to the API of one cluster. Their errors are `cluster_unreachable`, `cluster_forbidden`, `cluster_object_missing`, `cluster_refused`. */
export class ClusterClient {
  readonly access: ClusterAccess;
  readonly #base: URL;
  readonly #connections: Connections;

  constructor(access: ClusterAccess) {
    this.access = access;
    this.#base = new URL(access.server);
    this.#connections = new Connections(this.#base, access);
  }

  /** Undefined if the object is not there. */
  async get(path: string): Promise<JsonObject | undefined> {
    const answer = await this.#send('GET', path);
    return isGone(answer) ? undefined : this.#object(answer, 'GET', path);
  }

  async post(path: string, body: JsonObject): Promise<JsonObject> {
    return this.#object(await this.#send('POST', path, body), 'POST', path);
  }

  /**
   * Server-side apply: makes the object, or its fields given here, as they are given, even where another owner set them.
   *
   * @param dryRun checks everything and keeps nothing
   */
  async apply(path: string, object: JsonObject, manager: string, dryRun = false): Promise<JsonObject> {
    const query = new URLSearchParams({ fieldManager: manager, force: 'true' });
    if (dryRun) query.set('dryRun', 'All');
    const answer = await this.#send('PATCH', `${path}?${query}`, object, 'application/apply-patch+yaml');
    return this.#object(answer, 'PATCH', path);
  }

  /** Also where the object is gone already. */
  async delete(path: string): Promise<void> {
    const answer = await this.#send('DELETE', path);
    if (!isGone(answer)) this.#object(answer, 'DELETE', path);
  }

  close(): void {
    this.#connections.close();
  }

  async #send(method: string, path: string, body?: JsonObject, type = 'application/json'): Promise<Answer> {
    const { token, context, server } = this.access;
    try {
      return await this.#connections.send(`${this.#base.pathname.replace(/\/$/, '')}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': type }),
        },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (cause) {
      const { message, code = '' } = cause as NodeJS.ErrnoException;
      throw new GatehouseError({
        code: 'cluster_unreachable',
        what: `the cluster of context ${context} cannot be reached: ${message}`,
        given: server,
        fix: /CERT|SIGNATURE|ISSUER|TLS/.test(code)
          ? 'Check certificate-authority-data (and tls-server-name) of its cluster in the kubeconfig.'
          : 'Check server of its cluster in the kubeconfig, and that the cluster runs.',
        cause,
      });
    }
  }

  #object({ status, body }: Pick<Answer, 'status' | 'body'>, method: string, path: string): JsonObject {
    const json = objectIn(body.toString());
    if (status < 300 && json !== undefined) return json;
    const { context, server } = this.access;
    const said = typeof json?.['message'] === 'string' ? json['message'] : `it answers ${status}`;
    if (status === 401) {
      throw new GatehouseError({
        code: 'cluster_refused',
        what: `the cluster of context ${context} does not accept the credentials of the kubeconfig`,
        given: server,
        fix: 'The token or certificate is wrong or has expired. Sign in to the cluster again.',
      });
    }
    if (isGone({ status, body })) {
      throw new GatehouseError({
        code: 'cluster_object_missing',
        what: `the cluster of context ${context} has no such object: ${said}`,
      });
    }
    throw new GatehouseError({
      code: status === 403 ? 'cluster_forbidden' : 'cluster_refused',
      what: `the cluster of context ${context} refuses ${method} ${path}: ${said}`,
    });
  }
}

/** Other servers answer 404 as well, and the API server does for a path that it does not have: nothing is gone then. */
function isGone({ status, body }: Pick<Answer, 'status' | 'body'>): boolean {
  const json = status === 404 ? objectIn(body.toString()) : undefined;
  return json?.['kind'] === 'Status' && json['reason'] === 'NotFound' && isObject(json['details']);
}

import { GatehouseError, isObject, objectIn } from '@gatehouse/core/values';
import { type Answer, Connections } from './exchange.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import type { JsonObject } from './service-client.ts';

const timeoutMs = 30_000;

/**
 * Posts an object to the API of a cluster. Undefined if what the path names is not there.
 *
 * @throws GatehouseError `cluster_unreachable`, `cluster_forbidden`, `cluster_refused`
 */
export async function postToCluster(
  access: ClusterAccess,
  path: string,
  object: JsonObject,
): Promise<JsonObject | undefined> {
  const { context, server } = access;
  const { status, body } = await send(access, path, object);
  const json = objectIn(body.toString());
  if (status < 300 && json !== undefined) return json;
  // Other servers answer 404 as well, and the API server does for a path that it does not have.
  const isStatus = json?.['kind'] === 'Status' && json['reason'] === 'NotFound' && isObject(json['details']);
  if (status === 404 && isStatus) return undefined;
  if (status === 401) {
    throw new GatehouseError('cluster_refused.credentials', { given: server, values: { context } });
  }
  const message = typeof json?.['message'] === 'string' ? json['message'] : `it answers ${status}`;
  const values = { context, path, reason: message };
  throw new GatehouseError(status === 403 ? 'cluster_forbidden' : 'cluster_refused', { values });
}

async function send(access: ClusterAccess, path: string, object: JsonObject): Promise<Answer> {
  const { token, context, server } = access;
  const base = new URL(server);
  const connections = new Connections(base, access);
  try {
    return await connections.send(`${base.pathname.replace(/\/$/, '')}${path}`, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(object),
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (cause) {
    const { message, code = '' } = cause as NodeJS.ErrnoException;
    const isUntrusted = /CERT|SIGNATURE|ISSUER|TLS/.test(code);
    throw new GatehouseError(isUntrusted ? 'cluster_unreachable.untrusted' : 'cluster_unreachable', {
      given: server,
      cause,
      values: { context, reason: message },
    });
  } finally {
    connections.close();
  }
}

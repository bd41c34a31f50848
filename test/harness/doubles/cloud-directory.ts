import { createServer } from 'node:http';
import { listen } from '../../../packages/host/src/listen.ts';

/**
 * A double of the cloud directory's group API: no real one can be had in tests. What it does follows the directory's
 * reference for `directoryObject: getMemberObjects`, version 1.0: POST of JSON with `securityEnabledOnly`, a bearer token
 * with a delegated permission that shows people their own groups; the answer is a collection of object ids in `value`, all
 * of them or an error beyond 11,000, and an error is an object with a code.
 */
export interface CloudDirectoryDouble {
  /** Base address with the version, as `directories.cloudDirectory` takes it. */
  address: string;
  /** Delegated permissions by access token. */
  permissions: Record<string, string[]>;
  /** Object ids of the groups of the person who asks. */
  groups: unknown;
  /** Answers instead of the groups, where set. */
  instead?: { status: number; body: string; location?: string };
  /** What was asked, in order. */
  requests: { path: string; authorization: string; body: unknown }[];
  close(): Promise<void>;
}

/** Groups that the directory gives at most. */
const mostGroups = 11_000;

const showsOwnGroups = (permission: string) =>
  ['User.Read', 'User.Read.All', 'Directory.Read.All'].includes(permission);

export async function startCloudDirectoryDouble(): Promise<CloudDirectoryDouble> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization = '' } = request.headers;
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || 'null');
    double.requests.push({ path: request.url ?? '', authorization, body });
    const answer = (status: number, value: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    };
    if (double.instead !== undefined) {
      const { status, body: text, location } = double.instead;
      response.writeHead(status, location === undefined ? {} : { location }).end(text);
    } else if (!/^Bearer \S+$/.test(authorization)) {
      answer(401, { error: { code: 'InvalidAuthenticationToken', message: 'Access token is empty.' } });
    } else if (!(double.permissions[authorization.slice('Bearer '.length)] ?? []).some(showsOwnGroups)) {
      const message = 'Insufficient privileges to complete the operation.';
      answer(403, { error: { code: 'Authorization_RequestDenied', message } });
    } else if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
      answer(415, { error: { code: 'UnsupportedMediaType', message: 'content type' } });
    } else if (request.method !== 'POST' || typeof body?.securityEnabledOnly !== 'boolean') {
      answer(400, { error: { code: 'Request_BadRequest', message: 'securityEnabledOnly' } });
    } else if (!/\/(me|users\/[^/]+)\/getMemberObjects$/.test(request.url ?? '')) {
      answer(404, { error: { code: 'Request_ResourceNotFound', message: 'no such resource' } });
    } else if (Array.isArray(double.groups) && double.groups.length > mostGroups) {
      answer(400, { error: { code: 'Directory_ResultSizeLimitExceeded', message: 'too many' } });
    } else {
      answer(200, {
        '@odata.context': `${double.address}/$metadata#Collection(Edm.String)`,
        value: double.groups,
      });
    }
  });
  const double: CloudDirectoryDouble = {
    address: `http://127.0.0.1:${await listen(server, 0)}/v1.0`,
    permissions: { access: ['User.Read'] },
    groups: [],
    requests: [],
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return double;
}

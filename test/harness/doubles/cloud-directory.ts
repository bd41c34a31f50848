import { createServer } from 'node:http';
import { listen } from '../../../web/listen.ts';

/**
 * A double of the cloud directory's group API: no real one can be had in tests. What it does follows the directory's
 * reference for `directoryObject: getMemberObjects`, version 1.0: POST with `securityEnabledOnly`, a bearer token; the
 * answer is a collection of object ids in `value`, and an error is an object with a code.
 */
export interface CloudDirectoryDouble {
  /** Base address with the version, as `directories.cloudDirectory` takes it. */
  address: string;
  /** Object ids of the groups of whoever asks. */
  groups: unknown;
  /** Answers instead of the groups, where set. */
  instead?: { status: number; body: string; location?: string };
  /** What was asked, in order. */
  requests: { path: string; authorization: string; body: unknown }[];
  close(): Promise<void>;
}

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
    } else if (request.method !== 'POST' || typeof body?.securityEnabledOnly !== 'boolean') {
      answer(400, { error: { code: 'Request_BadRequest', message: 'securityEnabledOnly' } });
    } else if (!/\/(me|users\/[^/]+)\/getMemberObjects$/.test(request.url ?? '')) {
      answer(404, { error: { code: 'Request_ResourceNotFound', message: 'no such resource' } });
    } else {
      answer(200, {
        '@odata.context': `${double.address}/$metadata#Collection(Edm.String)`,
        value: double.groups,
      });
    }
  });
  const double: CloudDirectoryDouble = {
    address: `http://127.0.0.1:${await listen(server, 0)}/v1.0`,
    groups: [],
    requests: [],
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return double;
}

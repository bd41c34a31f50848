import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { jwtVerify } from 'jose';
import { listen } from '../../../packages/host/src/listen.ts';

/**
 * A double of the workspace suite's token endpoint and directory: no real ones can be had in tests. What they do follows
 * the suite's guide to OAuth 2.0 for service accounts (an assertion signed with the account's key, exchanged for a
 * token for the scopes that were delegated), and the reference of its directory API, version 1: `groups.list` by
 * `userKey`, in pages; `users.get` with `projection=custom`, which needs a `customFieldMask`.
 */
export interface WorkspaceSuiteDouble {
  /** As `directories.workspaceSuite` takes it. */
  address: string;
  /** As `directories.workspaceSuiteTokens` takes it. */
  tokens: string;
  /** The key file of the service account, as the suite's console gives it. */
  keyFile: Record<string, string>;
  /** Scopes that an administrator delegated to the account. */
  delegated: string[];
  /** Groups by member, a person or a group. Who is not here is not known. */
  groups: Record<string, string[]>;
  /** Custom attributes by person, by schema. */
  attributes: Record<string, Record<string, object>>;
  /** Groups on a page. The suite's own default is 200. */
  pageSize: number;
  /** Answers instead of the directory, where set. */
  instead?: { status: number; body: string };
  /** Scopes of each assertion that was presented, in order. */
  asked: string[];
  /** Requests to the directory, in order. */
  requests: string[];
  close(): Promise<void>;
}

export const suiteAdmin = 'admin@example.com';
const account = 'gatehouse@project.example.com';

/** Of each double of a process: making one takes longer than most tests. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export async function startWorkspaceSuiteDouble(): Promise<WorkspaceSuiteDouble> {
  const given = new Set<string>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const { status, body } =
      url.pathname === '/token' ? await giveToken(request) : directory(url, request.headers.authorization);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  });
  const address = `http://127.0.0.1:${await listen(server, 0)}`;

  async function giveToken(request: IncomingMessage) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
      return json(400, { error: 'unsupported_grant_type' });
    }
    const verified = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      algorithms: ['RS256'],
      audience: double.tokens,
      issuer: account,
      requiredClaims: ['iat', 'exp', 'scope'],
      maxTokenAge: 3600,
    }).catch(() => undefined);
    if (verified === undefined || verified.protectedHeader.kid !== 'key-1')
      return json(400, { error: 'invalid_grant' });
    const { payload } = verified;
    double.asked.push(String(payload['scope']));
    const isDelegated = String(payload['scope'])
      .split(' ')
      .every((scope) => double.delegated.includes(scope));
    if (payload.sub !== suiteAdmin || !isDelegated) return json(401, { error: 'unauthorized_client' });
    const token = randomBytes(16).toString('hex');
    given.add(token);
    return json(200, { access_token: token, expires_in: 3599, token_type: 'Bearer' });
  }

  function directory(url: URL, authorization = '') {
    double.requests.push(`${url.pathname}${url.search}`);
    if (double.instead !== undefined) return double.instead;
    if (!given.has(authorization.replace('Bearer ', ''))) return json(401, { error: { code: 401 } });
    const query = (name: string) => url.searchParams.get(name) ?? '';
    const [, user] = /^\/admin\/directory\/v1\/users\/([^/]+)$/.exec(url.pathname) ?? [];
    if (user !== undefined) {
      const attributes = double.attributes[decodeURIComponent(user)];
      if (attributes === undefined) return json(404, { error: { code: 404 } });
      if (query('projection') !== 'custom' || query('customFieldMask') === '')
        return json(400, { error: { code: 400 } });
      const mask = query('customFieldMask').split(',');
      const shown = Object.entries(attributes).filter(([schema]) => mask.includes(schema));
      return json(200, shown.length === 0 ? {} : { customSchemas: Object.fromEntries(shown) });
    }
    if (url.pathname !== '/admin/directory/v1/groups') return json(404, { error: { code: 404 } });
    const groups = double.groups[query('userKey')]?.filter((email) => email.endsWith(query('domain')));
    if (groups === undefined)
      return json(404, { error: { code: 404, message: 'Resource Not Found: userKey' } });
    const from = Number(query('pageToken'));
    const page = groups.slice(from, from + double.pageSize);
    const next = from + double.pageSize;
    return json(200, {
      // Someone in no groups gets an answer without any.
      ...(page.length === 0 ? {} : { groups: page.map((email) => ({ email })) }),
      ...(next < groups.length ? { nextPageToken: String(next) } : {}),
    });
  }

  const double: WorkspaceSuiteDouble = {
    address,
    tokens: `${address}/token`,
    keyFile: {
      type: 'service_account',
      client_email: account,
      private_key_id: 'key-1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      token_uri: 'http://127.0.0.1:1/never-asked',
    },
    delegated: ['group', 'user'].map(
      (what) => `https://www.googleapis.com/auth/admin.directory.${what}.readonly`,
    ),
    groups: {},
    attributes: {},
    pageSize: 200,
    asked: [],
    requests: [],
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return double;
}

function json(status: number, value: unknown) {
  return { status, body: JSON.stringify(value) };
}

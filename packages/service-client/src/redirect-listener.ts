import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatehouseError } from '@gatehouse/core/values';

/** Bytes of a posted form. An ID token with 200 groups has a tenth of them. */
const bodyLimit = 128 * 1024;
const path = '/oidc/callback';

/** The parameters of the redirect: `code`, `state`, `error` and so on. */
type RedirectAnswer = Record<string, string>;

/** A loopback address to which an identity provider redirects a browser, once. */
export interface RedirectListener {
  /** `http://localhost:<port>/oidc/callback` (docs/inside/specification.md B-2, "Redirect URIs"). */
  redirectUri: string;
  /** Resolves with the first redirect, by query or form. The browser waits for `show`. */
  answer: Promise<RedirectAnswer>;
  /** Shows the result in the browser. Escapes the text, which may come from outside. */
  show(title: string, text: string): void;
  /** Stops listening; a waiting browser still gets the page. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Waits on 127.0.0.1 for the redirect of a sign-in on the command line. With port 0, the system chooses the port.
 *
 * @throws GatehouseError `port_in_use`
 */
export async function listenForRedirect(port: number): Promise<RedirectListener> {
  const first = Promise.withResolvers<RedirectAnswer>();
  let waiting: ServerResponse | undefined;
  let isAnswered = false;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://localhost');
    const isPost = request.method === 'POST';
    if (url.pathname !== path || !(isPost || request.method === 'GET')) {
      return sendPage(response, 404, 'Page not found');
    }
    const form = isPost ? await readForm(request) : url.searchParams;
    if (form === undefined) return sendPage(response, 413, 'Not signed in', 'The answer is too long.');
    // A reload sends the same answer again, which only works once.
    if (isAnswered) return sendPage(response, 409, 'Not signed in', 'There was an answer before this one.');
    isAnswered = true;
    waiting = response;
    first.resolve(Object.fromEntries(form));
  }

  const server = createServer({ keepAlive: false }, (request, response) => {
    response.setHeader('Connection', 'close');
    take(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause) => {
    throw new GatehouseError('port_in_use', {
      cause,
      values: { port, host: '127.0.0.1', reason: 'something listens there already' },
    });
  });
  let closing: Promise<unknown> | undefined;
  return {
    redirectUri: `http://localhost:${(server.address() as AddressInfo).port}${path}`,
    answer: first.promise,
    show(title, text) {
      if (waiting !== undefined) sendPage(waiting, 200, title, text);
      waiting = undefined;
    },
    async close() {
      waiting?.destroy();
      closing ??= once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closing;
    },
  };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= bodyLimit) chunks.push(chunk);
  }
  return size > bodyLimit ? undefined : new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

const style = `:root { color-scheme: light dark; font: 1rem / 1.6 system-ui, sans-serif }
main { max-width: 40rem; margin: 15vh auto; padding: 0 1.5rem; overflow-wrap: anywhere; white-space: pre-line }`;
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

function sendPage(response: ServerResponse, status: number, title: string, text = ''): void {
  const escaped = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  response.writeHead(status, headers).end(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Gatehouse</title><style>${style}</style></head>
<body><main><h1>${title}</h1><p>${escaped}</p></main></body>
</html>
`);
}

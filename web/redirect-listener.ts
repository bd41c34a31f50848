import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { sendPage } from '../embedded/identity/page.ts';
import { listen } from './listen.ts';
import { type Content, html, type SafeHtml } from './pages/html.ts';
import { layout } from './pages/layout.ts';

/** Bytes of a form that a provider posts; an ID token with 200 groups is a tenth of it. */
const bodyLimit = 128 * 1024;
const path = '/oidc/callback';

/** What a provider answers by way of the browser: `code`, `state`, `error` and so on. */
export type RedirectAnswer = Record<string, string>;

/** A loopback address to which an identity provider leads a browser back, once. */
export interface RedirectListener {
  /** `http://localhost:<port>/oidc/callback` (interface.md B-2, "Redirect URIs"). */
  redirectUri: string;
  /**
   * Settles with the first answer, from the query or from a form. The browser waits until `show` is called.
   */
  answer: Promise<RedirectAnswer>;
  /** Tells the person at the browser how it went; what is said may come from outside. */
  show(title: string, text: string): void;
  /** Stops listening; a browser that waits still gets what was shown. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Waits on 127.0.0.1 for the redirect of a sign-in on the command line. Port 0 lets the system choose.
 * Error: `port_in_use`.
 */
export async function listenForRedirect(port: number): Promise<RedirectListener> {
  const first = Promise.withResolvers<RedirectAnswer>();
  let waiting: ServerResponse | undefined;
  let isAnswered = false;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://localhost');
    const isPost = request.method === 'POST';
    if (url.pathname !== path || !(isPost || request.method === 'GET')) {
      return sendPage(response, 404, page('Nothing is here'));
    }
    const form = isPost ? await readForm(request) : url.searchParams;
    if (form === undefined) return sendPage(response, 413, page('Not signed in', 'The answer is too long.'));
    // A browser that reloads the page would bring the same answer again, and it serves once.
    if (isAnswered) return sendPage(response, 409, page('Not signed in', 'Another answer came first.'));
    isAnswered = true;
    waiting = response;
    first.resolve(Object.fromEntries(form));
  }

  const server = createServer({ keepAlive: false }, (request, response) => {
    response.setHeader('Connection', 'close');
    take(request, response).catch(() => response.destroy());
  });
  const bound = await listen(server, port);
  let closing: Promise<unknown> | undefined;
  return {
    redirectUri: `http://localhost:${bound}${path}`,
    answer: first.promise,
    show(title, text) {
      if (waiting !== undefined) sendPage(waiting, 200, page(title, text));
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

function page(title: string, text?: Content): SafeHtml {
  return layout({ site: { name: 'Sign-in on the command line' }, title, body: html`<p>${text}</p>` });
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

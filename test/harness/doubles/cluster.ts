import { createServer, type IncomingMessage } from 'node:http';
import { listen } from '../../../packages/host/src/listen.ts';

/** An answer: its status, and the body if it is not a `Status` of the API. */
export interface Scripted {
  status: number;
  body?: object;
  message?: string;
}

/**
 * A double of a cluster's API server: it answers what a test scripts, and keeps what it was asked. What a real one does
 * is tested on a real one (`clusters.weekly.test.ts`).
 */
export async function startClusterDouble(
  script: (method: string, path: string) => Scripted | undefined | Promise<Scripted>,
) {
  const asked: { line: string; type?: string; authorization?: string; body: any }[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const { 'content-type': type, authorization } = headers;
    asked.push({ line: `${method} ${url}`, type, authorization, body: await bodyOf(request) });
    const [path = ''] = url.split('?');
    const { status, body, message } = (await script(method, path)) ?? {
      status: 404,
      message: `${path} not found`,
    };
    const reason = status === 404 ? 'NotFound' : undefined;
    const details = { name: path.split('/').pop() };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { kind: 'Status', reason, message, details }));
  });
  const address = `http://127.0.0.1:${await listen(server, 0)}`;
  return {
    asked,
    kubeconfig: JSON.stringify({
      'current-context': 'double',
      clusters: [{ name: 'c', cluster: { server: address } }],
      users: [{ name: 'u', user: { token: 'hush' } }],
      contexts: [{ name: 'double', context: { cluster: 'c', user: 'u' } }],
    }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}

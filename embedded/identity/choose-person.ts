import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import type { PageAnswer } from '../../web/pages/site.ts';
import { choosePersonPage, errorPage } from './page.ts';
import type { Person } from './people.ts';

/** Bytes; a body holds one username. */
const bodyLimit = 2_000;

/**
 * The step of a sign-in in which someone says who they are: GET shows the people, POST `username` goes on. The
 * interaction is the one that the browser's cookie names; without it, or too late, the answer is an error page.
 */
export async function choosePerson(
  provider: Provider,
  people: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await provider.interactionDetails(request, response);
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    const why = 'This sign-in has expired or was started in another browser. Start again.';
    send(response, errorPage('sign_in_expired', why));
    return;
  }
  if (request.method === 'GET') {
    send(response, choosePersonPage(provider.issuer, people));
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405, { Allow: 'GET, POST' }).end();
    return;
  }
  const username = new URLSearchParams(await readBody(request)).get('username');
  const person = people.find((one) => one.username === username);
  if (person === undefined) {
    send(response, choosePersonPage(provider.issuer, people, 'There is no such person.'));
    return;
  }
  await provider.interactionFinished(request, response, { login: { accountId: person.username } });
}

function send(response: ServerResponse, { status, headers, body }: PageAnswer): void {
  response.writeHead(status, headers).end(body);
}

/** The body as text; empty when it is too long, which then names nobody. */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= bodyLimit) chunks.push(chunk);
  }
  return length <= bodyLimit ? Buffer.concat(chunks).toString('utf8') : '';
}

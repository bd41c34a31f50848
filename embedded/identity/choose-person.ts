import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import { choosePersonPage, errorPage, sendPage } from './page.ts';
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
    sendPage(
      response,
      400,
      errorPage('sign_in_expired', 'This sign-in has expired or was begun in another browser. Begin again.'),
    );
    return;
  }
  if (request.method === 'GET') {
    sendPage(response, 200, choosePersonPage(provider.issuer, people));
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405, { Allow: 'GET, POST' }).end();
    return;
  }
  const username = new URLSearchParams(await readBody(request)).get('username');
  const person = people.find((one) => one.username === username);
  if (person === undefined) {
    sendPage(response, 400, choosePersonPage(provider.issuer, people, 'There is nobody of that name here.'));
    return;
  }
  await provider.interactionFinished(request, response, { login: { accountId: person.username } });
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

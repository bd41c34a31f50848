import type { IncomingMessage, ServerResponse } from 'node:http';
import { alarm, type Content, html, type PageAnswer, Site } from '@gatehouse/host';
import { errors, type Provider } from 'oidc-provider';
import type { Person } from './development.ts';

const site = new Site({ name: 'Identity provider for development' });

/** Bytes; a body holds one username. */
const bodyLimit = 2_000;

/**
 * The interaction of a sign-in, found by the browser's cookie: GET lists the people, POST `username` continues.
 * Without a valid interaction the response is an error page.
 */
export async function choosePerson(
  provider: Provider,
  people: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = ({ status, headers, body }: PageAnswer) => void response.writeHead(status, headers).end(body);
  try {
    await provider.interactionDetails(request, response);
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    const why = 'This sign-in has expired or was started in another browser. Start again.';
    return send(errorPage('sign_in_expired', why));
  }
  if (request.method === 'GET') return send(choosePersonPage(provider.issuer, people));
  if (request.method !== 'POST') {
    response.writeHead(405, { Allow: 'GET, POST' }).end();
    return;
  }
  const username = new URLSearchParams(await readBody(request)).get('username');
  const person = people.find((candidate) => candidate.username === username);
  if (person === undefined)
    return send(choosePersonPage(provider.issuer, people, 'There is no such person.'));
  await provider.interactionFinished(request, response, { login: { accountId: person.username } });
}

/** The body as text; empty when it is too long, so no one is found. */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= bodyLimit) chunks.push(chunk);
  }
  return length <= bodyLimit ? Buffer.concat(chunks).toString('utf8') : '';
}

/** The page on which people choose who they are. It posts `username` to its own address. */
export function choosePersonPage(issuer: string, people: readonly Person[], problem?: string): PageAnswer {
  const body = html`${problem !== undefined && alarm(problem)}
<p>Who are you? <span class="id">${issuer}</span> asks.</p>
<form class="ways" method="post">${people.map(
    ({ username, name, email }) =>
      html`<div class="method"><div class="buttons"><span><span class="method-name">${name}</span> <span class="method-path">${email}</span></span>
<button class="primary" name="username" value="${username}" aria-label="Continue as ${name}">Continue</button></div></div>\n`,
  )}</form>`;
  return answer('Sign in', body, problem === undefined ? 200 : 400);
}

export function errorPage(error: string, description: string | undefined): PageAnswer {
  return answer('Not signed in', html`${alarm(description ?? error)}<p><code>${error}</code></p>`, 400);
}

function answer(title: string, body: Content, status: number): PageAnswer {
  return site.answer({ title, body: html`<div class="narrow">${body}</div>` }, status);
}

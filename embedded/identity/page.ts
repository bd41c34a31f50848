import { alarm } from '../../web/pages/content.ts';
import { type Content, html } from '../../web/pages/html.ts';
import { type PageAnswer, Site } from '../../web/pages/site.ts';
import type { Person } from './people.ts';

const site = new Site({ name: 'Identity provider for development' });

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

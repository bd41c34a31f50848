import type { ServerResponse } from 'node:http';
import { type Content, html, type SafeHtml } from '../../web/pages/html.ts';
import { layout } from '../../web/pages/layout.ts';
import { standalonePageHeaders } from '../../web/pages/page-headers.ts';
import type { Person } from './people.ts';

/** The page on which one chooses who one is. It posts `username` to its own address. */
export function choosePersonPage(issuer: string, people: readonly Person[], problem?: string): SafeHtml {
  return page(
    'Sign in',
    html`${problem !== undefined && html`<div class="notice alarm" role="alert"><p>${problem}</p></div>`}
<p>Who are you? <span class="id">${issuer}</span> asks.</p>
<form class="ways" method="post">${people.map(
      ({ username, name, email }) =>
        html`<div class="method"><div class="buttons"><span><span class="method-name">${name}</span> <span class="method-path">${email}</span></span>
<button class="primary" name="username" value="${username}" aria-label="Continue as ${name}">Continue</button></div></div>\n`,
    )}</form>`,
  );
}

export function errorPage(error: string, description: string | undefined): SafeHtml {
  return page(
    'Not signed in',
    html`<div class="notice alarm" role="alert"><p>${description ?? error}</p></div><p><code>${error}</code></p>`,
  );
}

/** A whole page about a sign-in. */
function page(title: string, body: Content): SafeHtml {
  const site = { name: 'Identity provider for development' };
  return layout({ site, title, body: html`<div class="narrow">${body}</div>` });
}

export function sendPage(response: ServerResponse, status: number, content: SafeHtml): void {
  response.writeHead(status, standalonePageHeaders).end(content.markup);
}

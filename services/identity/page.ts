import type { ServerResponse } from 'node:http';
import { escapeHtml } from '../pages/html.ts';
import type { Person } from './people.ts';

/** The page on which one chooses who one is. It posts `username` to its own address. */
export function choosePersonPage(issuer: string, people: readonly Person[], problem?: string): string {
  const choices = people.map(
    ({ username, name, email }) =>
      `<li><button name="username" value="${escapeHtml(username)}">${escapeHtml(name)}</button> ${escapeHtml(email)}</li>`,
  );
  return page(
    'Sign in',
    `${problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`}
<p>${escapeHtml(issuer)} asks who you are.</p>
<form method="post"><ul>${choices.join('')}</ul></form>`,
  );
}

export function errorPage(error: string, description: string | undefined): string {
  return page(
    'Not signed in',
    `<p role="alert">${escapeHtml(description ?? error)}</p><p><code>${escapeHtml(error)}</code></p>`,
  );
}

/** A whole page; the body is HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body>
</html>
`;
}

/** Headers of every page: no script, no frame, no referrer, never cached. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  // No form-action: browsers apply it to the redirects that follow, and those lead back to the secrets service.
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders).end(html);
}

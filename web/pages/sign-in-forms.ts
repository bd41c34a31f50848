import { isWebLink } from './content.ts';
import { field } from './field.ts';
import { attributes, type Content, html, type SafeHtml } from './html.ts';
import type { PageAnswer, Site } from './site.ts';

// What pages with a sign-in at the secrets service's auth methods share.

/** Where a sign-in at an identity provider begins, by POST. */
export const providerSignInPath = '/ui/sign-in/oidc';

export interface Method {
  /** Below `auth/`. */
  path: string;
  type: string;
  description: string;
}

/** Values of the last attempt, to fill in again: never a token. */
interface Tried {
  role?: string;
  /** What is wrong with the role, at its field. */
  problem?: Content;
}

/** The auth methods in the `data` of `sys/internal/ui/mounts`, which lists those of `listing_visibility=unauth`. */
export function methodsIn(data: unknown): Method[] {
  const { auth } = (data ?? {}) as { auth?: Record<string, { type?: unknown; description?: unknown }> };
  return Object.entries(auth ?? {}).map(([path, { type, description }]) => ({
    path: path.replace(/\/$/, ''),
    type: String(type ?? ''),
    description: String(description ?? ''),
  }));
}

/** An auth method's path without the `auth/` and slashes that people type. */
export function tidyMethod(given: string): string {
  return given.trim().replace(/^\/*(?:auth\/)?|\/+$/g, '');
}

/** A listed method's form: one click for the default role, or a field for another. */
export function methodForm(
  { path, description }: Method,
  index: number,
  hidden: Content,
  tried?: Tried,
): SafeHtml {
  const name = description || path;
  return html`<form class="method" method="post" action="${providerSignInPath}">${hidden}
<input type="hidden" name="method" value="${path}">
<div class="buttons"><span><span class="method-name">${name}</span> <span class="method-path">auth/${path}</span></span>
<button class="primary" aria-label="Continue with ${name}">Continue</button></div>
<details${attributes({ open: tried !== undefined })}><summary>With another role<span class="hidden"> (${name})</span></summary>
${roleField(`role-${index}`, tried)}
</details>
</form>
`;
}

export const plainText = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' };
export const secret = { ...plainText, type: 'password', required: true };

/** A form that is shown when its summary is clicked. */
export function way(summary: string, action: string, open: boolean, content: Content[]): SafeHtml {
  return html`<details${attributes({ open })}><summary>${summary}</summary>
<form class="fields" method="post" action="${action}">${content}</form></details>
`;
}

/** @param problem what is wrong with the path, at its field */
export function methodField(
  type: string,
  value = type,
  { known = [], problem }: { known?: readonly Method[]; problem?: Content } = {},
): SafeHtml {
  const list = known.length > 0 ? `${type}-methods` : undefined;
  return html`${field({
    name: 'method',
    id: `${type}-method`,
    label: 'Auth method',
    value,
    problem,
    hint: html`Its path below <code>auth/</code>.`,
    control: { class: 'short', required: true, list, ...plainText },
  })}
${list !== undefined && html`<datalist id="${list}">${known.map(({ path }) => html`<option value="${path}">`)}</datalist>`}`;
}

export function roleField(id: string, { role, problem }: Tried = {}): SafeHtml {
  return field({
    name: 'role',
    id,
    label: 'Role',
    value: role,
    problem,
    hint: 'Leave it empty for the method’s default role.',
    control: { class: 'short', ...plainText },
  });
}

/**
 * A page on the way to a provider instead of a redirect: browsers apply `form-action` to the redirects of a form.
 *
 * @param url a web address
 */
export function leavePage(site: Site, url: string): PageAnswer {
  if (!isWebLink(url)) throw new TypeError('not a web address');
  const { host } = new URL(url);
  return site.answer({
    title: 'To your provider',
    head: html`<meta http-equiv="refresh" content="0; url=${url}">`,
    body: html`<div class="narrow"><p>You sign in at <strong>${host}</strong> and come back here.</p>
<p><a class="button primary" href="${url}">Continue to ${host}</a></p></div>`,
  });
}

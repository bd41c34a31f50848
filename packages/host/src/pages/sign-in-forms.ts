import { type ProviderKind, productOf } from '@gatehouse/core/graph';
import { isWebLink } from './content.ts';
import { field } from './field.ts';
import { attributes, type Content, html, SafeHtml } from './html.ts';
import type { PageAnswer, Site } from './site.ts';

// Forms of pages that sign people in by the secrets service's auth methods.

/** Where a sign-in at an identity provider begins, by POST. */
export const providerSignInPath = '/ui/sign-in/oidc';

/** An auth method, as sign-in pages list it. */
export interface Method {
  /** Below `auth/`. */
  path: string;
  type: string;
  description: string;
  /** Kind of its provider. Defaults to an unknown kind. */
  kind?: ProviderKind;
}

/** Values of the last attempt, to fill in again: never a token. */
interface LastAttempt {
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
export function tidyMethod(path: string): string {
  return path.trim().replace(/^\/*(?:auth\/)?|\/+$/g, '');
}

/** A listed method's form: one click for the default role, or a field for another. */
export function methodForm(
  { path, description, kind }: Method,
  index: number,
  hidden: Content,
  tried?: LastAttempt,
): SafeHtml {
  const name = description || path;
  return html`<form class="method" method="post" action="${providerSignInPath}">${hidden}
<input type="hidden" name="method" value="${path}">
<div class="buttons">${kind && providerIcon(kind)}<span class="method-names"><span class="method-name">${name}</span> <span class="method-path">${kind && html`<span class="product">${productOf(kind)}</span> · `}auth/${path}</span></span>
<button class="primary" aria-label="Continue with ${name}">Continue</button></div>
<details${attributes({ open: tried !== undefined })}><summary>With another role<span class="hidden"> (${name})</span></summary>
${roleField(`role-${index}`, tried)}
</details>
</form>
`;
}

/** Shapes for kinds of providers. They are our own, not the logos of products. */
const shapes = {
  directory: '<circle cx="8" cy="5" r="3"/><path d="M2 14.5c0-3.3 2.7-5 6-5s6 1.7 6 5z"/>',
  code: '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="6" r="1.75"/><path d="M4 5.25v5.5M12 7.75c0 2.5-8 1.5-8 3"/>',
  cluster:
    '<path d="M8 1.5 13.6 4.75v6.5L8 14.5l-5.6-3.25v-6.5zM8 5.5v5M5.8 6.75l4.4 2.5M10.2 6.75l-4.4 2.5"/>',
  pipeline: '<path d="M1.5 8h9M7.5 4.5 11 8l-3.5 3.5M14 3v10"/>',
  server: '<path d="M8 1.5 13.5 3.5v4c0 3.6-2.4 6-5.5 7-3.1-1-5.5-3.4-5.5-7v-4zM5.75 7.75l1.6 1.6 3-3.1"/>',
};

/** The shape of each kind. */
const shapeOfKind: Record<ProviderKind, string> = {
  cloud_directory: shapes.directory,
  workspace_suite: shapes.directory,
  source_hosting: shapes.code,
  container_orchestrator: shapes.cluster,
  hosted_identity_platform: shapes.server,
  access_management_suite: shapes.server,
  open_source_identity_server: shapes.server,
  enterprise_identity_provider: shapes.server,
  oidc: shapes.server,
  jwt: shapes.server,
  github_actions: shapes.pipeline,
  gitlab_ci: shapes.pipeline,
  hcp_terraform: shapes.pipeline,
  circleci: shapes.pipeline,
  bitbucket_pipelines: shapes.pipeline,
  buildkite: shapes.pipeline,
};

function providerIcon(kind: ProviderKind): SafeHtml {
  return new SafeHtml(
    `<svg class="provider" viewBox="0 0 16 16" aria-hidden="true" focusable="false">${shapeOfKind[kind]}</svg>`,
  );
}

/** Attributes of a field that browsers leave as it is typed. */
export const plainText = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' };
/** Attributes of a field whose text is hidden. */
export const secret = { ...plainText, type: 'password', required: true };

/** A form that is shown when its summary is clicked. */
export function foldedForm(summary: string, action: string, isOpen: boolean, content: Content[]): SafeHtml {
  return html`<details${attributes({ open: isOpen })}><summary>${summary}</summary>
<form class="fields" method="post" action="${action}">${content}</form></details>
`;
}

/** The field of a method's path. @param problem what is wrong with the path, shown at the field */
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

/** The field of a role's name. */
export function roleField(id: string, { role, problem }: LastAttempt = {}): SafeHtml {
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

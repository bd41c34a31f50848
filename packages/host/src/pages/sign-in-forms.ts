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

interface ProviderListArgs {
  /** The listed methods. */
  methods: readonly Method[];
  /** Where the search goes, by GET, and fields that go with it. */
  searchPath: string;
  searchFields: Readonly<Record<string, string>>;
  /** Text that was searched for; empty for none. */
  search: string;
  /** Hidden fields of a sign-in. */
  hidden: Content;
  /** The last attempt at a listed method. Defaults to none. */
  tried?: LastAttempt & { method: string };
  /** Buttons above those of the methods. Defaults to none. */
  first?: Content;
}

/** From this many on, people search. */
const manyMethods = 6;

/** The providers as a list, each a button; above it a search box, where there are many, and a field for another role. */
export function providerList(list: ProviderListArgs): SafeHtml {
  const { methods, search, hidden, tried, first } = list;
  const found = methods.filter((method) => isFound(method, search));
  const isOne = methods.length + (first === undefined ? 0 : 1) === 1;
  return html`${methods.length >= manyMethods && searchForm(list)}
<form class="providers" method="post" action="${providerSignInPath}">${hidden}
${
  // Enter in the field of the role would press the first button.
  !isOne && html`<button disabled hidden></button>`
}
${methods.length > 0 && otherRole(methods, tried)}
<ul id="provider-list">${
    first !== undefined &&
    html`<li>${first}</li>
`
  }${methods.map(
    (method) =>
      html`<li${attributes({ hidden: !found.includes(method) })}>${methodButton(method)}</li>
`,
  )}</ul>
<p id="provider-list-none"${attributes({ hidden: found.length > 0 || methods.length === 0 })}>No provider matches.</p>
</form>`;
}

function isFound({ path, description, kind }: Method, search: string): boolean {
  const texts = [path, description, kind === undefined ? '' : productOf(kind)];
  return texts.some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

function searchForm({ searchPath, searchFields, search }: ProviderListArgs): SafeHtml {
  const narrowing = { type: 'search', 'data-narrows': 'provider-list', ...plainText };
  return html`<form class="search" method="get" action="${searchPath}" role="search">
${Object.entries(searchFields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${field({ name: 'search', label: 'Search providers', value: search, control: narrowing })}
<button>Search</button></form>`;
}

function otherRole(methods: readonly Method[], tried: ProviderListArgs['tried']): SafeHtml {
  const method = methods.find(({ path }) => path === tried?.method);
  const again = method !== undefined && ` Then continue with ${nameOf(method)} again.`;
  return html`<details${attributes({ open: tried !== undefined })}><summary>Other role</summary>
${roleField('role', tried, html`Leave it empty for the default role of your provider.${again}`)}
</details>`;
}

function nameOf({ path, description }: Method): string {
  return description || path;
}

/** Signs in by a listed method, with the role of the form. */
function methodButton(method: Method): SafeHtml {
  const { path, kind } = method;
  return providerButton({
    name: nameOf(method),
    icon: kind && providerIcon(kind),
    about: html`<span class="method-path">${kind && html`<span class="product">${productOf(kind)}</span> · `}auth/${path}</span>`,
    control: { name: 'method', value: path },
  });
}

interface ProviderButtonArgs {
  name: string;
  /** Defaults to none. */
  icon?: Content;
  /** Below the name. Defaults to nothing. */
  about?: Content;
  control: Record<string, string>;
}

/** A button of the list: the provider's name, and where it leads. */
export function providerButton({ name, icon, about, control }: ProviderButtonArgs): SafeHtml {
  return html`<button class="method"${attributes(control)}>${icon}<span class="method-names"><span class="hidden">Continue with </span><span class="method-name">${name}</span> ${about}</span><span class="go" aria-hidden="true">Continue</span></button>`;
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
export function roleField(
  id: string,
  { role, problem }: LastAttempt = {},
  hint: Content = 'Leave it empty for the method’s default role.',
): SafeHtml {
  return field({
    name: 'role',
    id,
    label: 'Role',
    value: role,
    problem,
    hint,
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

import { field } from '../../../../web/pages/field.ts';
import { attributes, type Content, html, type SafeHtml } from '../../../../web/pages/html.ts';

/** An auth method that anyone may see. */
export interface Method {
  /** Below `auth/`. */
  path: string;
  type: string;
  description: string;
}

/** A method's own form: one press for its default role, a box for another. */
export function methodForm(
  { path, description }: Method,
  index: number,
  hidden: Content,
  tried?: { role?: string },
): SafeHtml {
  const name = description || path;
  return html`<form class="method" method="post" action="/ui/sign-in/oidc">${hidden}
<input type="hidden" name="method" value="${path}">
<div class="buttons"><span><span class="method-name">${name}</span> <span class="method-path">auth/${path}</span></span>
<button class="primary" aria-label="Continue with ${name}">Continue</button></div>
<details${attributes({ open: tried !== undefined })}><summary>In a role of your choice<span class="hidden"> (${name})</span></summary>
${field({
  name: 'role',
  id: `role-${index}`,
  label: 'Role',
  value: tried?.role,
  hint: 'Left empty, the method’s default role.',
  control: { class: 'short', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' },
})}
</details>
</form>
`;
}

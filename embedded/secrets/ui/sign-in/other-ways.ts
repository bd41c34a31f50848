import { field } from '../../../../web/pages/field.ts';
import { attributes, type Content, html, type SafeHtml } from '../../../../web/pages/html.ts';
import type { Method } from './method-form.ts';

interface Tried {
  method?: string;
  role?: string;
}

const plainText = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' };
const secret = { ...plainText, type: 'password', required: true };

/** An OIDC method that is not listed: who knows its path may use it. */
export function oidcForm(hidden: Content, tried?: Tried): SafeHtml {
  return way('An identity provider that is not listed', tried !== undefined, 'oidc', [
    hidden,
    methodField('oidc', tried?.method ?? 'oidc'),
    roleField('oidc', tried?.role),
    html`<p><button class="primary">Continue</button></p>`,
  ]);
}

export function jwtForm(hidden: Content, methods: readonly Method[], tried?: Tried): SafeHtml {
  return way('A JSON Web Token', tried !== undefined, 'jwt', [
    hidden,
    methodField('jwt', tried?.method ?? methods[0]?.path ?? 'jwt', methods),
    roleField('jwt', tried?.role),
    field({
      name: 'jwt',
      label: 'JSON Web Token',
      hint: 'For example that of a service account. It is not shown, and not kept.',
      control: secret,
    }),
    html`<p><button class="primary">Sign in with the JWT</button></p>`,
  ]);
}

export function tokenForm(hidden: Content, wasTried: boolean): SafeHtml {
  return way('A token of this service', wasTried, 'token', [
    hidden,
    field({ name: 'token', label: 'Token', control: secret }),
    html`<p><button class="primary">Sign in with the token</button></p>`,
  ]);
}

export function namespaceForm(namespace: string, wasTried: boolean): SafeHtml {
  return html`<details${attributes({ open: wasTried })}><summary>Another namespace</summary>
<form class="fields" method="get" action="/ui/sign-in">
${field({ name: 'namespace', label: 'Namespace', value: namespace, hint: 'Left empty, the root namespace.', control: { class: 'short', ...plainText } })}
<p><button>Go there</button></p>
</form></details>
`;
}

function way(summary: string, open: boolean, action: string, content: Content[]): SafeHtml {
  return html`<details${attributes({ open })}><summary>${summary}</summary>
<form class="fields" method="post" action="/ui/sign-in/${action}">${content}</form></details>
`;
}

function methodField(way: string, value: string, known: readonly Method[] = []): SafeHtml {
  const list = known.length > 0 ? `${way}-methods` : undefined;
  return html`${field({
    name: 'method',
    id: `${way}-method`,
    label: 'Auth method',
    value,
    hint: html`Its path below <code>auth/</code>.`,
    control: { class: 'short', required: true, list, ...plainText },
  })}
${list !== undefined && html`<datalist id="${list}">${known.map(({ path }) => html`<option value="${path}">`)}</datalist>`}`;
}

function roleField(way: string, value?: string): SafeHtml {
  return field({
    name: 'role',
    id: `${way}-role`,
    label: 'Role',
    value,
    hint: 'Left empty, the method’s default role.',
    control: { class: 'short', ...plainText },
  });
}

import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { icon, script, style } from './asset.ts';
import { type Content, html, SafeHtml } from './html.ts';

/** Where the assets of every site with pages below `/ui` are. */
export const assetsPath = '/ui/assets';

export interface SiteArgs {
  /** What kind of service this is, shown beside the name of the product. */
  name: string;
  /** Path of its first page. Without one its pages stand alone: their style is in them, and they have no script. */
  home?: string;
  /** For people who are signed in. Defaults to none. */
  navigation?: readonly { href: string; text: string }[];
  /** Whether its pages fetch news from their own server. Defaults to false. */
  isLive?: boolean;
}

export interface PageArgs {
  /** The one first-level heading, and the beginning of the window's title. */
  title: string;
  /** Below the heading; in the margin on wide windows. */
  lead?: Content;
  body: Content;
  /** Above everything, over the whole width: announcements. */
  above?: Content;
  /** The link of the navigation that this page belongs to. */
  current?: string;
  /** More for the head of the document. */
  head?: Content;
  /** For a page of somebody who is signed in: who that is, and the hidden field of their forms. */
  visit?: { who?: Content; formToken: SafeHtml };
}

/** What a browser is answered. */
export interface PageAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | Readable;
}

/** The pages of one service: their frame, their headers, and the answers that are pages. */
export class Site {
  readonly #args: SiteArgs;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(args: SiteArgs) {
    this.#args = args;
    this.#headers = args.home === undefined ? standalonePageHeaders : linkedPageHeaders(args.isLive === true);
  }

  answer(page: PageArgs, status = 200): PageAnswer {
    return { status, headers: { ...this.#headers }, body: this.render(page).markup };
  }

  /** A page that says why what was asked for is not shown or done. */
  problem(title: string, explanation: Content, status: number): PageAnswer {
    const { home = '' } = this.#args;
    const body = html`<div class="narrow"><p role="alert">${explanation}</p><p><a href="${home}">Back to the start</a></p></div>`;
    return this.answer({ title, body }, status);
  }

  /** Redirects to another page of the site, which the browser then gets. */
  seeOther(path: string): PageAnswer {
    return { status: 303, headers: { ...this.#headers, location: path }, body: '' };
  }

  /** A whole page. */
  render({ title, lead, body, above, current, head, visit }: PageArgs): SafeHtml {
    const { name, home, navigation = [] } = this.#args;
    const brand = html`${arch}<span>Gatehouse</span> <small>${name}</small>`;
    return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Gatehouse</title>
${home === undefined ? html`<style>${new SafeHtml(inlineStyle)}</style>` : linkedAssets}
${head}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="masthead">
${home === undefined ? html`<span class="brand">${brand}</span>` : html`<a class="brand" href="${home}">${brand}</a>`}
${
  visit !== undefined &&
  html`<nav aria-label="Main"><ul>${navigation.map(
    ({ href, text }) =>
      html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul></nav>
<div class="account">${visit.who}
<form method="post" action="/ui/sign-out">${visit.formToken}<button class="plain">Sign out</button></form></div>`
}
</header>
${above}
<main id="main" tabindex="-1">
<div class="lead"><h1>${title}</h1>
${lead}</div>
<div class="work">
${body}
</div>
</main>
</body>
</html>
`;
  }
}

const linkedAssets = html`<link rel="icon" href="${assetsPath}/${icon.name}" type="image/svg+xml">
<link rel="stylesheet" href="${assetsPath}/${style.name}">
<script type="module" src="${assetsPath}/${script.name}"></script>`;

/** The sign of the house: a gate's arch. */
const arch = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M3 22V11a9 9 0 0 1 18 0v11h-5V11a4 4 0 0 0-8 0v11z"/></svg>`;

/** Nothing but the site's own style, script and icon; no frames; never cached; other sites do not learn the address. */
function linkedPageHeaders(isLive: boolean): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    ...(isLive ? ["connect-src 'self'"] : []),
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    // Within the site, so that forms say where they come from.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}

const inlineStyle = style.body.toString('utf8');
const styleHash = createHash('sha256').update(inlineStyle).digest('base64');

/**
 * Headers of a page that stands alone. There is no `form-action`: browsers apply it to the redirects that follow, and
 * those of a sign-in lead to other sites.
 */
export const standalonePageHeaders: Readonly<Record<string, string>> = {
  ...linkedPageHeaders(false),
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'no-referrer',
};

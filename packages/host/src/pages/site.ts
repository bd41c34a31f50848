import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { largestOf } from '@gatehouse/core/values';
import { icon, script, style } from './asset.ts';
import { type Content, html, SafeHtml } from './html.ts';

/** Where style sheets, scripts and icons are served. */
export const assetsPath = '/ui/assets';

export interface SiteArgs {
  /** Kind of service, shown next to the product's name. */
  name: string;
  /** Path of the first page. Without it, pages are standalone: with inline style and no script. */
  home?: string;
  /** Links for people who are signed in. Defaults to none. */
  navigation?: readonly { href: string; text: string }[];
  /** Whether pages fetch updates from their server. Defaults to false. */
  isLive?: boolean;
}

/** The content of a page. */
export interface PageArgs {
  /** The heading, and the beginning of the window's title. */
  title: string;
  /** Below the heading; in the margin on wide windows. */
  lead?: Content;
  body: Content;
  /** Whether the heading is above the content on wide windows, too. Defaults to false. */
  isWide?: boolean;
  /** Announcements above everything. */
  above?: Content;
  /** `href` of the page's entry in the navigation. */
  current?: string;
  /** Additions to the document's head. */
  head?: Content;
  /** The service's namespace, shown in the header of the page. Empty or absent for the root namespace. */
  namespace?: string | null;
  /** The signed-in person, the namespace unless the page names it, and the hidden field of their forms. */
  visit?: { who?: Content; namespace?: string; formToken: SafeHtml };
}

/** The answer with a page. */
export interface PageAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | Readable;
}

/** The frame of all pages of a listener. */
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

  problem(title: string, explanation: Content, status: number): PageAnswer {
    const { home = '' } = this.#args;
    const body = html`<div class="narrow"><p role="alert">${explanation}</p><p><a href="${home}">Back to the start</a></p></div>`;
    return this.answer({ title, body }, status);
  }

  /** Redirects to another page of the site, with GET. */
  seeOther(path: string): PageAnswer {
    return { status: 303, headers: { ...this.#headers, location: path }, body: '' };
  }

  render({
    title,
    lead,
    body,
    above,
    current,
    head,
    visit,
    namespace = visit?.namespace,
    isWide = false,
  }: PageArgs): SafeHtml {
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
${namespace && html`<span class="namespace">Namespace <span class="id">${namespace}</span></span>`}
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
<main id="main" tabindex="-1"${isWide && html` class="wide"`}>
<div class="lead">${heading(title)}
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

const arch = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M3 22V11a9 9 0 0 1 18 0v11h-5V11a4 4 0 0 0-8 0v11z"/></svg>`;

/** Only the site's style, script and icon; no frames, no caching, no referrer for other sites. */
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
    // Not `no-referrer`: forms need an `Origin` header.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}

const inlineStyle = style.body.toString('utf8');
const styleHash = createHash('sha256').update(inlineStyle).digest('base64');

/** Without `form-action`: browsers apply it to redirects, and those of a sign-in lead to other sites. */
export const standalonePageHeaders: Readonly<Record<string, string>> = {
  ...linkedPageHeaders(false),
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'no-referrer',
};

/** Characters of a word that fits next to the content at the common size, and at the next smaller one. */
const fits = 16;
const fitsSmaller = 22;
/** Characters of a word that fits into a narrow window at the smallest size. A longer one breaks anywhere. */
const fitsAtAll = 48;

/**
 * The heading of a page. It breaks between words and, if they are long, after the separators of identifiers (`_`, `/`,
 * `.`), but not inside a word: one that is too long makes it smaller, unless it fits nowhere.
 */
export function heading(title: string): SafeHtml {
  const words = title
    .split(/(?<=\s)/)
    .map((word) => (word.trim().length > fits ? word.split(/(?<=[_/.:@=])/) : [word]));
  // Browsers break at hyphens themselves.
  const longest = largestOf(
    words.flat().flatMap((part) => part.split('-').map((piece) => piece.trim().length)),
  );
  const look =
    longest <= fits
      ? undefined
      : longest <= fitsSmaller
        ? 'long'
        : longest <= fitsAtAll
          ? 'longest'
          : 'longest endless';
  const text = words.map((parts) => parts.map((part, index) => html`${index > 0 && html`<wbr>`}${part}`));
  return html`<h1${look !== undefined && html` class="${look}"`}>${text}</h1>`;
}

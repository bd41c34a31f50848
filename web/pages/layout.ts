import { icon, script, style } from './asset.ts';
import { type Content, html, SafeHtml } from './html.ts';

/** What the pages of a service have in common. */
export interface Site {
  /** Path below which its assets are served, for example `/ui/assets`; without, the style stands in the page. */
  assets?: string;
  /** Path of its first page; leave out where there is none. */
  home?: string;
  /** What kind of a service this is, beside its name. */
  name: string;
}

export interface NavigationLink {
  href: string;
  text: string;
}

export interface PageArgs {
  site: Site;
  /** The one first-level heading, and the beginning of the window's title. */
  title: string;
  /** Stands below the heading, in the margin on wide windows. */
  lead?: Content;
  body: Content;
  /** Stands above everything, over the whole width: announcements. */
  above?: Content;
  navigation?: readonly NavigationLink[];
  /** The link of the navigation that this page belongs to. */
  current?: string;
  /** Who is signed in and how to leave, at the end of the header. */
  account?: Content;
  /** More for the head of the document. */
  head?: Content;
}

/** What stands in the `style` element of a page without assets: its hash is in `standalonePageHeaders`. */
export const inlineStyle = style.body.toString('utf8');

/** A whole page. */
export function layout(page: PageArgs): SafeHtml {
  const sign = html`${arch}<span>Gatehouse</span> <small>${page.site.name}</small>`;
  const { site, title, lead, body, above, navigation = [], current, account, head } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Gatehouse</title>
${site.assets === undefined ? html`<style>${new SafeHtml(inlineStyle)}</style>` : linked(site.assets)}
${head}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="masthead">
${site.home === undefined ? html`<span class="brand">${sign}</span>` : html`<a class="brand" href="${site.home}">${sign}</a>`}
${
  navigation.length > 0 &&
  html`<nav aria-label="Main"><ul>${navigation.map(
    ({ href, text }) =>
      html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul></nav>`
}
${account !== undefined && html`<div class="account">${account}</div>`}
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

function linked(assets: string): SafeHtml {
  return html`<link rel="icon" href="${assets}/${icon.name}" type="image/svg+xml">
<link rel="stylesheet" href="${assets}/${style.name}">
<script type="module" src="${assets}/${script.name}"></script>`;
}

/** The sign of the house: a gate's arch. */
const arch = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M3 22V11a9 9 0 0 1 18 0v11h-5V11a4 4 0 0 0-8 0v11z"/></svg>`;

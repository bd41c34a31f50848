import { attributes, type Content, html, type SafeHtml } from '@gatehouse/host';

interface FoldArgs {
  /** Unique on its page. */
  id: string;
  title: string;
  /** What is in it, in few words. */
  hint: Content;
  content: Content;
  /** Defaults to false. */
  isOpen?: boolean;
}

/** A part of a page that is folded below its heading. */
export function fold({ id, title, hint, content, isOpen = false }: FoldArgs): SafeHtml {
  return html`<details class="fold" id="${id}"${attributes({ open: isOpen })}><summary><h2>${title}</h2> <span class="quiet">${hint}</span></summary>
<div class="folded">${content}</div></details>`;
}

import { codePart } from '@gatehouse/core/review';
import { visible } from '@gatehouse/core/values';

/** What an element holds. A text is always text, never markup, with its bidirectional controls in sight; undefined is left out. */
export type Child = Node | string | undefined | readonly Child[];

/** An element with attributes: true is one without a value; undefined and false are left out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number | boolean | undefined>> = {},
  content: Child = undefined,
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    created.setAttribute(attribute, value === true ? '' : String(value));
  }
  created.append(contentOf(content));
  return created;
}

/** Sentences: what stands in backticks is code. */
export function prose(text: string): Child {
  return text.split(codePart).map((part, at) => (at % 2 === 1 ? element('code', {}, part) : part));
}

/** Puts other content into an element. */
export function fill(parent: Element, content: Child = undefined): void {
  parent.replaceChildren(contentOf(content));
}

/** Nodes in one, which goes once they are put somewhere. */
export function contentOf(content: Child): DocumentFragment {
  const fragment = document.createDocumentFragment();
  addTo(fragment, content);
  return fragment;
}

function addTo(fragment: DocumentFragment, content: Child): void {
  if (content === undefined) return;
  if (typeof content === 'string') fragment.append(visible(content));
  else if (content instanceof Node) fragment.append(content);
  else for (const child of content) addTo(fragment, child);
}

/** The element of the page with an id. @throws Error where there is none, or one of another type */
export function byId<Type extends Element>(id: string, type: abstract new () => Type): Type {
  const present = document.getElementById(id);
  if (present instanceof type) return present;
  throw new Error(`the page has no ${id}`);
}

/** The first items of a list; a button shows the others in their place. An item is made when it is shown. */
export function some<Item>(
  items: readonly Item[],
  most: number,
  show: (item: Item) => HTMLElement,
): HTMLElement[] {
  const shown = items.slice(0, most).map(show);
  const rest = items.slice(most);
  if (rest.length === 0) return shown;
  const button = element('button', { type: 'button', class: 'plain' }, `Show ${rest.length} more`);
  const place = element('li', {}, button);
  button.addEventListener('click', () => {
    const revealed = rest.map(show);
    place.replaceWith(contentOf(revealed));
    revealed[0]?.setAttribute('tabindex', '-1');
    revealed[0]?.focus();
  });
  return [...shown, place];
}

import { visible } from '@gatehouse/core/values';

/** What an element holds. A text is always text, never markup, with its bidirectional controls in sight; undefined is left out. */
export type Child = Node | string | undefined | readonly Child[];

/** An element with attributes: true is one without a value; undefined and false are left out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number | boolean | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(attribute, value === true ? '' : String(value));
  }
  made.append(...nodesOf(children));
  return made;
}

/** Puts other content into an element. */
export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren(...nodesOf(children));
}

function nodesOf(children: readonly Child[]): Node[] {
  return children.flatMap((child): Node[] => {
    if (child === undefined) return [];
    if (typeof child === 'string') return [document.createTextNode(visible(child))];
    return child instanceof Node ? [child] : nodesOf(child);
  });
}

/** The element of the page with an id. @throws Error where there is none, or one of another type */
export function byId<Type extends Element>(id: string, type: abstract new () => Type): Type {
  const present = document.getElementById(id);
  if (present instanceof type) return present;
  throw new Error(`the page has no ${id}`);
}

/** The first of some children; a button shows the others in their place. */
export function some(children: readonly HTMLElement[], most: number, noun = 'more'): HTMLElement[] {
  const rest = children.slice(most);
  if (rest.length === 0) return [...children];
  const button = element('button', { type: 'button', class: 'plain' }, `Show ${rest.length} ${noun}`);
  const holder = element('li', {}, button);
  button.addEventListener('click', () => {
    const [first] = rest;
    holder.replaceWith(...rest);
    first?.setAttribute('tabindex', '-1');
    first?.focus();
  });
  return [...children.slice(0, most), holder];
}

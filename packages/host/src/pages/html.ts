import { visible } from '@gatehouse/core/values';

/** Markup in which every text is escaped. */
export class SafeHtml {
  readonly markup: string;
  // Makes the type nominal: only instances of this class are accepted.
  readonly #safe = true;

  /** Only for markup that was created or sanitized here; use `html` for everything else. */
  constructor(markup: string) {
    this.markup = markup;
  }

  static is(value: unknown): value is SafeHtml {
    return typeof value === 'object' && value !== null && #safe in value;
  }

  toString(): string {
    return this.markup;
  }
}

/** Content of a page. Text is escaped; null, undefined and false are left out. */
export type Content = SafeHtml | string | number | null | undefined | false | readonly Content[];

/**
 * An HTML template. Values are escaped, and their bidirectional controls made visible, except `SafeHtml`. Attributes must be
 * quoted.
 */
export function html(texts: TemplateStringsArray, ...values: Content[]): SafeHtml {
  return new SafeHtml(texts.reduce((all, text, index) => `${all}${markupOf(values[index - 1])}${text}`));
}

/** Attributes, each after a space. True becomes an attribute without a value; false and undefined are omitted. */
export function attributes(values: Record<string, string | number | boolean | undefined>): SafeHtml {
  const parts = Object.entries(values).map(([name, value]) => {
    if (value === undefined || value === false) return '';
    return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
  });
  return new SafeHtml(parts.join(''));
}

/** Escapes text for elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function markupOf(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (SafeHtml.is(value)) return value.markup;
  if (Array.isArray(value)) return value.map(markupOf).join('');
  return escapeHtml(visible(String(value)));
}

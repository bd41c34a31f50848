/** Markup that stands in a page as it is. `html` makes it, and whatever sanitises markup from outside. */
export class SafeHtml {
  readonly markup: string;
  // What TypeScript compares: nothing else than an instance of this class passes for one.
  readonly #safe = true;

  /** Only for markup that was made or sanitised here; everything else goes through `html`. */
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

/** What can stand in a page. Text is escaped; null, undefined and false are nothing. */
export type Content = SafeHtml | string | number | null | undefined | false | readonly Content[];

/**
 * A template of HTML. Every value is escaped, as text and as the value of a quoted attribute, unless it is `SafeHtml`
 * itself. There is no such thing as an unquoted attribute here.
 */
export function html(texts: TemplateStringsArray, ...values: Content[]): SafeHtml {
  return new SafeHtml(texts.reduce((all, text, index) => `${all}${markupOf(values[index - 1])}${text}`));
}

/** Attributes with a blank before each: true stands without a value, false and undefined not at all. */
export function attributes(given: Record<string, string | number | boolean | undefined>): SafeHtml {
  const parts = Object.entries(given).map(([name, value]) => {
    if (value === undefined || value === false) return '';
    return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
  });
  return new SafeHtml(parts.join(''));
}

/** `<`, `>`, `&` and both quotes as entities: safe as text and inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function markupOf(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (SafeHtml.is(value)) return value.markup;
  if (Array.isArray(value)) return value.map(markupOf).join('');
  return escapeHtml(String(value));
}

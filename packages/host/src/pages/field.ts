import { attributes, type Content, html, type SafeHtml } from './html.ts';

interface FieldArgs {
  name: string;
  /** Defaults to the name. */
  id?: string;
  label: string;
  value?: string;
  hint?: Content;
  /** Shown at the field, and read aloud with it. */
  problem?: Content;
  control?: Record<string, string | number | boolean | undefined>;
}

/** A labeled field of a form. */
export function field({ name, id = name, label, value = '', hint, problem, control }: FieldArgs): SafeHtml {
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`];
  const inputAttributes = attributes({
    id,
    name,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
    'aria-invalid': problem === undefined ? undefined : 'true',
    ...control,
    value: value === '' ? undefined : value,
  });
  return html`<div class="field">
<label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${problem !== undefined && html`<p class="error" id="${id}-problem">${problem}</p>`}
<input${inputAttributes}>
</div>`;
}

/** A labeled choice of a form. */
export function select(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  value: string,
): SafeHtml {
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options.map(
    ([optionValue, text]) =>
      html`<option value="${optionValue}"${attributes({ selected: optionValue.toLowerCase() === value.toLowerCase() })}>${text}</option>`,
  )}</select></div>`;
}

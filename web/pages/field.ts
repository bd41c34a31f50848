import { attributes, type Content, escapeHtml, html, SafeHtml } from './html.ts';

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
  /** Defaults to one line. */
  lines?: 'one' | 'many';
}

export function field({
  name,
  id = name,
  label,
  value = '',
  hint,
  problem,
  control,
  lines,
}: FieldArgs): SafeHtml {
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`];
  const common = attributes({
    id,
    name,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
    'aria-invalid': problem === undefined ? undefined : 'true',
    ...control,
  });
  return html`<div class="field">
<label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${problem !== undefined && html`<p class="error" id="${id}-problem">${problem}</p>`}
${
  lines === 'many'
    ? // Browsers drop the first line end of a text area. What is edited stays as it is.
      html`<textarea${common}>\n${new SafeHtml(escapeHtml(value))}</textarea>`
    : html`<input${common}${attributes({ value: value === '' ? undefined : value })}>`
}
</div>`;
}

interface ChoiceArgs {
  name: string;
  legend: string;
  options: readonly { value: string; text: string }[];
  value: string;
}

export function choice({ name, legend, options, value }: ChoiceArgs): SafeHtml {
  return html`<fieldset>
<legend>${legend}</legend>
<div class="choices">${options.map(
    (option) =>
      html`<label><input type="radio"${attributes({ name, value: option.value, checked: option.value === value })}> ${option.text}</label>`,
  )}</div>
</fieldset>`;
}

export function select(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  value: string,
): SafeHtml {
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options.map(
    ([one, text]) =>
      html`<option${attributes({ value: one, selected: one.toLowerCase() === value.toLowerCase() })}>${text}</option>`,
  )}</select></div>`;
}

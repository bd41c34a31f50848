import { Placeholder, type ShownValue } from '../deployment/shown-value.ts';

const lineWidth = 100;

/**
 * A value as text, like JSON, with names and placeholders unquoted. Long lists and objects take one line per entry, long
 * texts a block; further lines are indented by `indent`.
 */
export function valueText(value: ShownValue, indent = ''): string {
  if (typeof value === 'string') return stringText(value, indent);
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof Placeholder) return value.text;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((entry) => valueText(entry, inner))
    : Object.entries(value).map(([name, entry]) => `${nameText(name)}: ${valueText(entry, inner)}`);
  const [start, close] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return `${start}${close}`;
  const inLine = isList ? `[${entries.join(', ')}]` : `{ ${entries.join(', ')} }`;
  if (inLine.length + indent.length <= lineWidth && !inLine.includes('\n')) return inLine;
  return `${start}\n${entries.map((entry) => `${inner}${entry}`).join('\n')}\n${indent}${close}`;
}

function stringText(text: string, indent: string): string {
  const lines = text.split('\n');
  if (lines.length < 3 || hasControls(text)) return quoted(text);
  if (lines.at(-1) === '') lines.pop();
  return ['|', ...lines.map((line) => `${indent}  ${line}`.trimEnd())].join('\n');
}

/** A text as JSON, with all control characters escaped; JSON leaves some as they are. */
export function quoted(text: string): string {
  const controls = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
  return JSON.stringify(text).replace(
    controls,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A value's escape sequences must not reach a terminal, and its order must be the one that is shown. */
function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: looks for them
  return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(text);
}

function nameText(name: string): string {
  return /^[\w$.-]+$/.test(name) ? name : quoted(name);
}

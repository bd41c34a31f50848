import { byteLength } from './bytes.ts';
import { GatehouseError } from './errors.ts';
import { goJson } from './json.ts';

/** Replaces secrets in a text. */
export type Mask = (text: string) => string;

/** In bytes: shorter texts are in everything. As in the Pulumi CLI. */
const shortest = 3;

/**
 * A mask that shows `[secret]` for each of these, as the Pulumi CLI does for what is encrypted in a stack's file
 * (pulumi/pulumi `pkg/engine/events.go`, `sdk/go/common/util/logging/log.go`, `CreateFilter`). Values of less than 3
 * bytes, `true` and `false` stay. Unlike the CLI, each line of a secret of several lines is masked, because output is
 * read by lines, and each text in a secret that is JSON.
 */
export function maskOf(secrets: readonly string[]): Mask {
  const forms = new Set(secrets.flatMap(partsOf).flatMap(linesOf).filter(isMasked));
  // A list or a map of the configuration is JSON, and may be printed as a part of more JSON.
  for (let depth = 0; depth < 2; depth += 1) {
    for (const form of [...forms])
      for (const json of [goJson(form), JSON.stringify(form)]) forms.add(json.slice(1, -1));
  }
  if (forms.size === 0) return (text) => text;
  // The longest first: one secret may be the beginning of another.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  return (text) => text.replace(pattern, '[secret]');
}

/** Masks an error's texts, and those of its causes. Returns the same error. */
export function maskError(error: unknown, mask: Mask): unknown {
  if (!(error instanceof Error)) return error;
  error.message = mask(error.message);
  if (error.stack !== undefined) error.stack = mask(error.stack);
  if (error instanceof GatehouseError) {
    const masked = Object.entries(error.parts).map(([name, part]) => [
      name,
      typeof part === 'string' ? mask(part) : part,
    ]);
    Object.assign(error.parts, Object.fromEntries(masked));
  }
  maskError(error.cause, mask);
  return error;
}

/** With the texts in it, where it is JSON: secrets can be encrypted as one. */
function partsOf(text: string): string[] {
  const texts = [text];
  try {
    JSON.parse(text, (_, value) => {
      if (typeof value === 'string') texts.push(value);
    });
  } catch {
    // The text is no JSON.
  }
  return texts;
}

/** With its lines, as `node:readline` reads them. They may be printed indented. */
function linesOf(text: string): string[] {
  return [text, ...text.split(/[\r\n\u2028\u2029]+/).map((line) => line.trim())];
}

function isMasked(text: string): boolean {
  return byteLength(text) >= shortest && !['true', 'false'].includes(text.toLowerCase());
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

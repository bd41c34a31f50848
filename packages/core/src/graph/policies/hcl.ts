import { isObject } from '../values/json.ts';
import { parseStrictJson } from '../values/strict-json.ts';

/** A value of HCL as policies use it. */
export type HclValue = string | number | boolean | HclValue[] | HclBody;

/**
 * `name = value` and `name "label" { … }`, in their order, with the line of the name; `isBlock` is one without `=`, `start`
 * as in `PathBlock`.
 */
export interface HclBody {
  items: {
    name: string;
    labels?: [string, ...string[]];
    value: HclValue;
    line: number;
    isBlock?: true;
    start?: number;
  }[];
}

/** What is wrong with a text, and where: `at 3:14: …`. */
export class HclError extends Error {
  constructor(what: string, where?: { line: number; column: number }) {
    super(where === undefined ? what : `At ${where.line}:${where.column}: ${what}`);
    this.name = 'HclError';
  }
}

/** How deep lists and blocks may lie in each other: policies need four. */
const deepest = 16;

/**
 * Reads HCL of its first version, as servers do (hashicorp/hcl v1, `hcl/scanner` and `hcl/parser`), or the same as JSON.
 *
 * @throws HclError
 */
export function parseHcl(text: string): HclBody {
  return /^\s*\{/.test(text) ? bodyFromJson(text) : new Parser(text).file();
}

/** One word of HCL; `at` and `end` are where it stands in the text. */
export interface HclToken {
  kind: 'name' | 'string' | 'heredoc' | 'number' | 'sign' | 'end';
  /** The text between the quotes of a string, or the lines of a heredoc. */
  text: string;
  line: number;
  column: number;
  at: number;
  end: number;
}

const tokenPattern = new RegExp(
  [
    /(?<blank>[ \t\r\n]+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/u,
    /<<-?(?<anchor>[\p{L}\p{Nd}_]+)\r?\n(?<heredoc>(?:[^\n]*\n)*?)[^\S\n]*\k<anchor>\r*\n/u,
    /(?<number>-?(?:0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d*)?))/u,
    /(?<name>[\p{L}_][\p{L}\p{Nd}_.-]*)/u,
    /(?<sign>[{}[\],=])/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'uy',
);

class Parser {
  readonly #tokens: HclToken[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = [...tokensOf(text)];
  }

  file(): HclBody {
    return this.#items('end', 0);
  }

  #items(end: '}' | 'end', depth: number): HclBody {
    const items: HclBody['items'] = [];
    for (;;) {
      const token = this.#next();
      if (token.kind === 'end' ? end === 'end' : token.kind === 'sign' && token.text === end)
        return { items };
      if (token.kind !== 'name' && token.kind !== 'string') {
        throw new HclError(`expected a name or the end of the block, got ${shown(token)}`, token);
      }
      items.push({ name: token.text, line: token.line, ...this.#rest(token, depth) });
      // Items of an object may be parted by commas, as those of a block are by new lines.
      if (this.#peek().text === ',' && this.#peek().kind === 'sign') this.#next();
    }
  }

  /** What follows a name: `= value`, or labels and a block. */
  #rest(name: HclToken, depth: number): Omit<HclBody['items'][number], 'name' | 'line'> {
    const labels: string[] = [];
    for (;;) {
      const token = this.#next();
      if (token.kind === 'string' || token.kind === 'name') labels.push(token.text);
      else if (token.kind !== 'sign' || (token.text !== '{' && !(token.text === '=' && labels.length === 0)))
        throw new HclError(`expected = or { after ${name.text}, got ${shown(token)}`, token);
      else if (token.text === '=') return { value: this.#value(depth) };
      else {
        const [first, ...rest] = labels;
        const value = this.#block(token, depth);
        return {
          ...(first !== undefined && { labels: [first, ...rest], start: token.end }),
          value,
          isBlock: true,
        };
      }
    }
  }

  #block(brace: HclToken, depth: number): HclBody {
    if (depth === deepest) throw new HclError('blocks are nested too deeply', brace);
    return this.#items('}', depth + 1);
  }

  #value(depth: number): HclValue {
    const token = this.#next();
    if (token.kind === 'string' || token.kind === 'heredoc') return token.text;
    if (token.kind === 'number') return Number(token.text.replace(/[eE][+-]?$/, ''));
    if (token.kind === 'name' && (token.text === 'true' || token.text === 'false'))
      return token.text === 'true';
    if (token.kind === 'sign' && token.text === '[') return this.#list(token, depth);
    if (token.kind === 'sign' && token.text === '{') return this.#block(token, depth);
    throw new HclError(`expected a value, got ${shown(token)}`, token);
  }

  #list(bracket: HclToken, depth: number): HclValue[] {
    if (depth === deepest) throw new HclError('lists are nested too deeply', bracket);
    const values: HclValue[] = [];
    let isParted = true;
    for (;;) {
      if (this.#takes(']')) return values;
      if (this.#takes(',')) {
        // Servers read over commas with nothing between.
        isParted = true;
        continue;
      }
      const token = this.#peek();
      if (!isParted)
        throw new HclError(`error parsing list, expected comma or list end, got: ${shown(token)}`, token);
      values.push(this.#value(depth + 1));
      isParted = false;
    }
  }

  #takes(sign: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'sign' || token.text !== sign) return false;
    this.#at += 1;
    return true;
  }

  #peek(): HclToken {
    // The last token is the end, and nothing is read after it.
    return this.#tokens[this.#at] as HclToken;
  }

  #next(): HclToken {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }
}

/** All but blanks and comments. @throws HclError */
export function* tokensOf(text: string): Generator<HclToken> {
  let line = 1;
  let lineStart = 0;
  for (let at = 0, end = 0; at < text.length; at = end) {
    const where = { line, column: at - lineStart + 1, at };
    if (text[at] === '"') {
      end = stringEnd(text, where);
      yield { kind: 'string', text: unquoted(text.slice(at + 1, end - 1), where), ...where, end };
    } else {
      tokenPattern.lastIndex = at;
      const match = tokenPattern.exec(text);
      if (match === null) throw new HclError(`illegal character ${named(text.codePointAt(at) ?? 0)}`, where);
      end = tokenPattern.lastIndex;
      const { heredoc, number, name, sign } = match.groups ?? {};
      if (heredoc !== undefined) yield { kind: 'heredoc', text: heredoc, ...where, end };
      else if (number !== undefined) yield { kind: 'number', text: number, ...where, end };
      else if (name !== undefined) yield { kind: 'name', text: name, ...where, end };
      else if (sign !== undefined) yield { kind: 'sign', text: sign, ...where, end };
    }
    const lines = text.slice(at, end).split('\n');
    if (lines.length > 1) {
      line += lines.length - 1;
      lineStart = text.lastIndexOf('\n', end - 1) + 1;
    }
  }
  const end = text.length;
  yield { kind: 'end', text: 'the end', line, column: end - lineStart + 1, at: end, end };
}

/** A character by its number where it looks like another, or like nothing. */
function named(code: number): string {
  const isPlain = code > 0x20 && code < 0x7f;
  return isPlain
    ? JSON.stringify(String.fromCodePoint(code))
    : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

type Where = Pick<HclToken, 'line' | 'column' | 'at'>;

/** Behind the quote that ends a string. Between `${` and its brace, quotes and new lines are part of it. */
function stringEnd(text: string, where: Where): number {
  let braces = 0;
  for (let at = where.at + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '"' && braces === 0) return at + 1;
    else if (char === '\n' && braces === 0) break;
    else if (char === '$' && braces === 0 && text[at + 1] === '{') {
      braces = 1;
      at += 1;
    } else if (char === '{' && braces > 0) braces += 1;
    else if (char === '}' && braces > 0) braces -= 1;
  }
  throw new HclError('the string has no end', where);
}

const escapes: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};

function unquoted(text: string, where: Where): string {
  return text.replace(
    /\$\{[^}]*\}|\\(?:([0-7]{3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.?))/gs,
    (whole, octal, ...[x, u, long, escaped]: (string | undefined)[]) => {
      if (whole.startsWith('$')) return whole;
      const hex = x ?? u ?? long;
      const code = octal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(octal, 8);
      const char = escaped === undefined ? isCode(code) && String.fromCodePoint(code) : escapes[escaped];
      if (!char) throw new HclError('the string has an escape that is not known', where);
      return char;
    },
  );
}

function isCode(code: number): boolean {
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}

function shown(token: HclToken): string {
  return token.kind === 'string' ? JSON.stringify(token.text) : token.text;
}

function bodyFromJson(text: string): HclBody {
  let json: unknown;
  try {
    json = parseStrictJson(text);
  } catch {
    throw new HclError('the JSON cannot be read, or names something twice');
  }
  return fromJson(json, 0) as HclBody;
}

/**
 * As servers read JSON (hashicorp/hcl v1, `json/parser/flatten.go`): a list of objects is each of them, and an object of
 * objects is a block for each name in it, however deep: `{"path": {"a/*": {…}}}` is `path "a/*" {…}`.
 */
function fromJson(json: unknown, depth: number): HclValue {
  if (depth > deepest) throw new HclError('objects are nested too deeply');
  if (typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean') return json;
  if (Array.isArray(json)) return json.map((element) => fromJson(element, depth + 1));
  // Servers read null as nothing in it.
  if (!isObject(json)) return '';
  return { items: Object.entries(json).flatMap(([name, value]) => flattened([name], value, depth)) };
}

function flattened(names: [string, ...string[]], value: unknown, depth: number): HclBody['items'] {
  if (depth > deepest) throw new HclError('objects are nested too deeply');
  const inner = Array.isArray(value)
    ? value.map((element) => [[], element] as const)
    : Object.entries(isObject(value) ? value : {}).map(([name, element]) => [[name], element] as const);
  if (inner.length > 0 && inner.every(([, element]) => isObject(element)))
    return inner.flatMap(([added, element]) => flattened([...names, ...added], element, depth + 1));
  const [name, first, ...rest] = names;
  const labels: [string, ...string[]] | undefined = first === undefined ? undefined : [first, ...rest];
  return [{ name, ...(labels && { labels }), value: fromJson(value, depth + 1), line: 0 }];
}

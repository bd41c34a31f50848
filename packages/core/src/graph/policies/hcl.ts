import { parseStrictJson } from '../values/strict-json.ts';

/** A value of HCL as policies use it. */
export type HclValue = string | number | boolean | HclValue[] | HclBody;

/** `name = value` and `name "label" { … }`, in their order; the line is that of the `=`, 0 without; `start` as in `PathBlock`. */
export interface HclBody {
  items: { name: string; label?: string; value: HclValue; line: number; start?: number }[];
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
 * Reads the part of HCL that policies are written in: attributes, blocks with at most one label, strings, numbers,
 * booleans, lists, objects, comments (`#`, `//`, between slash and star); and the same as JSON.
 *
 * @throws HclError
 */
export function parseHcl(text: string): HclBody {
  return /^\s*\{/.test(text) ? bodyFromJson(text) : new Parser(text).file();
}

/** One word of HCL; `at` and `end` are where it stands in the text. */
export interface Token {
  kind: 'name' | 'string' | 'number' | 'sign' | 'end';
  /** Of a string, what is between its quotes. */
  text: string;
  line: number;
  column: number;
  at: number;
  end: number;
}

const tokenPattern =
  /(?<blank>\s+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*")|(?<number>-?\d+(?:\.\d+)?(?![\w.]))|(?<name>[A-Za-z_][\w.-]*)|(?<sign>[{}[\],=])/y;

class Parser {
  readonly #tokens: Token[];
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
      items.push({ name: token.text, line: 0, ...this.#rest(token, depth) });
      // Items of an object may be parted by commas, as those of a block are by new lines.
      if (this.#peek().text === ',' && this.#peek().kind === 'sign') this.#next();
    }
  }

  /** What follows a name: `= value`, `{ … }` or `"label" { … }`. */
  #rest(name: Token, depth: number): Partial<HclBody['items'][number]> & { value: HclValue } {
    const token = this.#next();
    if (token.kind === 'sign' && token.text === '=') return { value: this.#value(depth), line: token.line };
    if (token.kind === 'sign' && token.text === '{') return { value: this.#block(token, depth) };
    const brace = token.kind === 'string' || token.kind === 'name' ? this.#next() : undefined;
    if (brace?.kind === 'sign' && brace.text === '{') {
      return { label: token.text, value: this.#block(brace, depth), start: brace.at + 1 };
    }
    throw new HclError(`expected = or { after ${name.text}, got ${shown(brace ?? token)}`, brace ?? token);
  }

  #block(brace: Token, depth: number): HclBody {
    if (depth === deepest) throw new HclError('blocks lie too deep in each other', brace);
    return this.#items('}', depth + 1);
  }

  #value(depth: number): HclValue {
    const token = this.#next();
    if (token.kind === 'string') return token.text;
    if (token.kind === 'number') return Number(token.text);
    if (token.kind === 'name' && (token.text === 'true' || token.text === 'false'))
      return token.text === 'true';
    if (token.kind === 'sign' && token.text === '[') return this.#list(token, depth);
    if (token.kind === 'sign' && token.text === '{') return this.#block(token, depth);
    throw new HclError(`expected a value, got ${shown(token)}`, token);
  }

  #list(bracket: Token, depth: number): HclValue[] {
    if (depth === deepest) throw new HclError('lists lie too deep in each other', bracket);
    const values: HclValue[] = [];
    for (;;) {
      if (this.#takes(']')) return values;
      values.push(this.#value(depth + 1));
      if (this.#takes(',')) continue;
      if (this.#takes(']')) return values;
      const token = this.#peek();
      throw new HclError(`error parsing list, expected comma or list end, got: ${shown(token)}`, token);
    }
  }

  #takes(sign: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'sign' || token.text !== sign) return false;
    this.#at += 1;
    return true;
  }

  #peek(): Token {
    // The last token is the end, and nothing is read after it.
    return this.#tokens[this.#at] as Token;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }
}

/** All but blanks and comments. @throws HclError */
export function* tokensOf(text: string): Generator<Token> {
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < text.length; at = tokenPattern.lastIndex) {
    tokenPattern.lastIndex = at;
    const where = { line, column: at - lineStart + 1, at };
    const found = tokenPattern.exec(text);
    if (found === null) throw new HclError(`illegal character ${JSON.stringify(text.charAt(at))}`, where);
    const { blank, string, number, name, sign } = found.groups ?? {};
    const place = { ...where, end: tokenPattern.lastIndex };
    if (string !== undefined) yield { kind: 'string', text: unquoted(string, where), ...place };
    else if (number !== undefined) yield { kind: 'number', text: number, ...place };
    else if (name !== undefined) yield { kind: 'name', text: name, ...place };
    else if (sign !== undefined) yield { kind: 'sign', text: sign, ...place };
    else if (blank?.includes('\n')) {
      line += blank.split('\n').length - 1;
      lineStart = at + blank.lastIndexOf('\n') + 1;
    }
  }
  const end = text.length;
  yield { kind: 'end', text: 'the end', line, column: end - lineStart + 1, at: end, end };
}

function unquoted(string: string, where: { line: number; column: number }): string {
  try {
    return JSON.parse(string.replaceAll('\t', '\\t'));
  } catch {
    throw new HclError('the string has an escape that is not known', where);
  }
}

function shown(token: Token): string {
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

/** In JSON, `{"path": {"a/*": {…}}}` stands for `path "a/*" {…}`: the reader of a policy knows what has labels. */
function fromJson(json: unknown, depth: number): HclValue {
  if (depth > deepest) throw new HclError('objects lie too deep in each other');
  if (typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean') return json;
  if (Array.isArray(json)) return json.map((one) => fromJson(one, depth + 1));
  if (json === null || typeof json !== 'object') throw new HclError('null is no value');
  const items = Object.entries(json).map(([name, value]) => ({
    name,
    value: fromJson(value, depth + 1),
    line: 0,
  }));
  return { items };
}

import { sortedJson } from '../resources/field.ts';
import { isObject } from '../values/json.ts';
import { parseStrictJson } from '../values/strict-json.ts';
import { HclError, type Token, tokensOf } from './hcl.ts';
import { type PathRule, parsePolicy, pathBlocks } from './parse-policy.ts';

/** What becomes of a rule: the capabilities that it keeps, or nothing. */
export type RuleEdit = ReadonlySet<string> | 'deleted';

/**
 * The text of a policy with fewer capabilities in the rules of some patterns, or without these rules. Comments and layout
 * of HCL stay; JSON is written anew.
 *
 * @param edits by pattern, as `parsePolicy` reads it
 * @returns undefined where the text is written in a way that is not edited
 */
export function editPolicy(text: string, edits: ReadonlyMap<string, RuleEdit>): string | undefined {
  const rules = parsePolicy(text);
  const ofRules = rules.map(({ path }) => edits.get(path));
  const edited = /^\s*\{/.test(text) ? editedJson(text, ofRules) : editedHcl(text, ofRules);
  if (edited === undefined) return undefined;
  const wanted = rules.flatMap((rule, at) => {
    const edit = ofRules[at];
    if (edit === 'deleted') return [];
    return edit === undefined
      ? [rule]
      : [{ ...rule, capabilities: rule.capabilities.filter((one) => edit.has(one)) }];
  });
  // Whatever was misread of the layout would show here.
  return meaningOf(edited) === sortedJson(inOrder(wanted)) ? edited : undefined;
}

function meaningOf(text: string): string | undefined {
  try {
    return sortedJson(inOrder(parsePolicy(text)));
  } catch (error) {
    if (error instanceof HclError) return undefined;
    throw error;
  }
}

const inOrder = (rules: PathRule[]): PathRule[] =>
  rules.map((rule) => ({ ...rule, capabilities: rule.capabilities.toSorted() }));

/** A rule as it stands in HCL. */
interface WrittenRule {
  start: number;
  end: number;
  /** The list of its capabilities, with its brackets and all between. */
  list?: Token[];
  /** `policy = "…"`, the older word for some capabilities. */
  word?: Token[];
}

interface Cut {
  start: number;
  end: number;
  by: string;
}

function editedHcl(text: string, edits: readonly (RuleEdit | undefined)[]): string | undefined {
  const written = writtenRules([...tokensOf(text)]);
  if (written.length !== edits.length) return undefined;
  const words = parsePolicy(text);
  const cuts = written.flatMap((rule, at): Cut[] => {
    const edit = edits[at];
    if (edit === undefined) return [];
    if (edit === 'deleted') return [wholeLines(text, rule)];
    const { list, word } = rule;
    const kept = (words[at]?.capabilities ?? []).filter((one) => edit.has(one));
    const whole = `capabilities = ${JSON.stringify(kept).replaceAll(',', ', ')}`;
    if (word === undefined) return list === undefined ? [] : shorterList(text, list, edit);
    if (list === undefined) return [{ ...spanOf(word), by: whole }];
    const gone = { ...wholeLines(text, spanOf(word)), by: '' };
    return [gone, { ...spanOf(list), by: whole.slice(whole.indexOf('[')) }];
  });
  return cuts
    .sort((one, other) => other.start - one.start)
    .reduce((whole, { start, end, by }) => whole.slice(0, start) + by + whole.slice(end), text);
}

/** The rules in their order; what is written in another way than `path "…" { … }` is left out. */
function writtenRules(tokens: readonly Token[]): WrittenRule[] {
  const found: WrittenRule[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const [name, label, brace] = tokens.slice(at, at + 3);
    const isRule = name?.text === 'path' && isWord(name) && isWord(label) && isSign(brace, '{');
    const last = closing(tokens, isRule ? at + 2 : at);
    if (isRule && name !== undefined) {
      const inside = tokens.slice(at + 3, last);
      const list = attribute(inside, 'capabilities');
      const word = attribute(inside, 'policy');
      found.push({
        ...{ start: name.at, end: tokens[last]?.end ?? name.end },
        ...(list !== undefined && isSign(list[2], '[') && { list: list.slice(2) }),
        ...(word !== undefined && { word }),
      });
    }
    at = last;
  }
  return found;
}

/** `name = value` of a block, all its tokens. */
function attribute(inside: readonly Token[], name: string): Token[] | undefined {
  for (let at = 0; at < inside.length; at += 1) {
    if (isWord(inside[at]) && inside[at]?.text === name && isSign(inside[at + 1], '='))
      return inside.slice(at, closing(inside, at + 2) + 1);
    at = closing(inside, at);
  }
  return undefined;
}

/** Where what is opened at a token is closed; the token itself where it opens nothing. */
function closing(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (isSign(token, '{') || isSign(token, '[')) depth += 1;
    if (isSign(token, '}') || isSign(token, ']')) depth -= 1;
    if (depth <= 0) return at;
  }
  return tokens.length;
}

const isWord = (token: Token | undefined): boolean => token?.kind === 'name' || token?.kind === 'string';
const isSign = (token: Token | undefined, sign: string): boolean =>
  token?.kind === 'sign' && token.text === sign;

function spanOf(tokens: readonly Token[]): Cut {
  return { start: tokens[0]?.at ?? 0, end: tokens.at(-1)?.end ?? 0, by: '' };
}

function shorterList(text: string, list: readonly Token[], kept: ReadonlySet<string>): Cut[] {
  const span = spanOf(list);
  const values = list.filter(({ kind }) => kind === 'string');
  const left = values.filter(({ text: one }) => kept.has(one));
  if (left.length === values.length) return [];
  if (left.length === 0) return [{ ...span, by: '[]' }];
  const source = text.slice(span.start, span.end);
  if (!source.includes('\n') && !source.includes('/*')) {
    const [, before = '', after = ''] = /^\[(\s*).*?(\s*)\]$/.exec(source) ?? [];
    const by = left.map(({ at, end }) => text.slice(at, end)).join(source.includes(', ') ? ', ' : ',');
    return [{ ...span, by: `[${before}${by}${after}]` }];
  }
  return list.flatMap((token, at) => {
    if (token.kind !== 'string' || kept.has(token.text)) return [];
    const next = list[at + 1];
    const end = next !== undefined && isSign(next, ',') ? next.end : token.end;
    const cut = wholeLines(text, { start: token.at, end }, /^[ \t]*(?:(?:#|\/\/).*)?$/);
    return [cut];
  });
}

/** With its lines, where nothing else is on them; of two blank lines around it, one. */
function wholeLines(text: string, { start, end }: Pick<Cut, 'start' | 'end'>, rest = /^[ \t]*$/): Cut {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const found = text.indexOf('\n', end);
  const lineEnd = found === -1 ? text.length : found;
  const isAlone = /^[ \t]*$/.test(text.slice(lineStart, start)) && rest.test(text.slice(end, lineEnd));
  if (!isAlone) {
    const blanks = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
    return { start, end: end + blanks, by: '' };
  }
  const isParted = lineStart === 0 || /\n[ \t]*\n$/.test(text.slice(0, lineStart));
  const blankLine = isParted ? (/^\n[ \t]*(?=\n|$)/.exec(text.slice(lineEnd))?.[0].length ?? 0) : 0;
  return { start: lineStart, end: Math.min(text.length, lineEnd + 1 + blankLine), by: '' };
}

function editedJson(text: string, edits: readonly (RuleEdit | undefined)[]): string | undefined {
  const json = parseStrictJson(text);
  if (!isObject(json)) return undefined;
  const capabilities = pathBlocks(text).map((_, at) => parsePolicy(text)[at]?.capabilities ?? []);
  let at = 0;
  const edited = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(edited);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([label, body]) => {
        const edit = edits[at];
        const own = capabilities[at] ?? [];
        at += 1;
        if (edit === 'deleted') return [];
        if (edit === undefined) return [[label, body]];
        const kept = own.filter((one) => edit.has(one));
        return [[label, Array.isArray(body) ? body.map((one) => withKept(one, kept)) : withKept(body, kept)]];
      }),
    );
  };
  const whole = { ...json, path: edited(json['path']) };
  const indent = /\n([ \t]+)"/.exec(text)?.[1];
  return `${JSON.stringify(whole, null, indent)}${text.endsWith('\n') ? '\n' : ''}`;
}

function withKept(body: unknown, capabilities: string[]): unknown {
  if (!isObject(body)) return body;
  const { policy: _, ...rest } = body;
  return { ...rest, capabilities };
}

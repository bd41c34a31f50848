import { sortedJson } from '../resources/field.ts';
import { isObject } from '../values/json.ts';
import { parseStrictJson } from '../values/strict-json.ts';
import { type HclToken, tokensOf } from './hcl.ts';
import { type PathRule, parsePolicy, readPolicy } from './parse-policy.ts';

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
  const kept = rules.map(({ path, capabilities }): KeptCapabilities => {
    const edit = edits.get(path);
    return edit === undefined || edit === 'deleted'
      ? edit
      : capabilities.filter((capability) => edit.has(capability));
  });
  const edited = /^\s*\{/.test(text) ? editedJson(text, kept) : editedHcl(text, kept);
  const rulesAfter = rules.flatMap((rule, at) => {
    const capabilities = kept[at];
    return capabilities === 'deleted' ? [] : [{ ...rule, ...(capabilities && { capabilities }) }];
  });
  const read = readPolicy(edited);
  // Whatever was misread of the layout would show here.
  return read !== undefined && meaningOf(read) === meaningOf(rulesAfter) ? edited : undefined;
}

function meaningOf(rules: PathRule[]): string {
  return sortedJson(rules.map((rule) => ({ ...rule, capabilities: rule.capabilities.toSorted() })));
}

/** The capabilities that a rule keeps; undefined where it stays as it is. */
type KeptCapabilities = string[] | 'deleted' | undefined;

interface Span {
  start: number;
  end: number;
}

/** A rule as it stands in HCL. */
interface WrittenRule extends Span {
  /** The list of its capabilities, with its brackets and all between. */
  list: HclToken[] | undefined;
  /** `policy = "…"`, the older word for some capabilities. */
  word: HclToken[] | undefined;
}

interface Cut extends Span {
  by: string;
}

function editedHcl(text: string, edits: readonly KeptCapabilities[]): string {
  const cuts = writtenRules([...tokensOf(text)]).flatMap(({ list, word, ...span }, at): Cut[] => {
    const kept = edits[at];
    if (kept === undefined) return [];
    if (kept === 'deleted') return [wholeLines(text, span)];
    if (word === undefined) return list === undefined ? [] : shorterList(text, list, kept);
    const by = `[${kept.map((capability) => JSON.stringify(capability)).join(', ')}]`;
    if (list === undefined) return [{ ...spanOf(word), by: `capabilities = ${by}` }];
    return [wholeLines(text, spanOf(word)), { ...spanOf(list), by }];
  });
  return cuts
    .sort((left, right) => right.start - left.start)
    .reduce((whole, { start, end, by }) => whole.slice(0, start) + by + whole.slice(end), text);
}

/** The rules in their order; what is written in another way than `path "…" { … }` is left out. */
function writtenRules(tokens: readonly HclToken[]): WrittenRule[] {
  const written: WrittenRule[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const isRule = tokens[at]?.text === 'path' && isSign(tokens[at + 2], '{');
    const last = closing(tokens, isRule ? at + 2 : at);
    if (isRule) {
      const inside = tokens.slice(at + 3, last);
      written.push({
        ...spanOf(tokens.slice(at, last + 1)),
        list: attribute(inside, 'capabilities')?.slice(2),
        word: attribute(inside, 'policy'),
      });
    }
    at = last;
  }
  return written;
}

/** `name = value` of a block, all its tokens. */
function attribute(inside: readonly HclToken[], name: string): HclToken[] | undefined {
  for (let at = 0; at < inside.length; at += 1) {
    if (inside[at]?.text === name && isSign(inside[at + 1], '='))
      return inside.slice(at, closing(inside, at + 2) + 1);
    at = closing(inside, at);
  }
  return undefined;
}

/** The token that closes what a token opens; the token itself if it opens nothing. */
function closing(tokens: readonly HclToken[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (isSign(token, '{') || isSign(token, '[')) depth += 1;
    if (isSign(token, '}') || isSign(token, ']')) depth -= 1;
    if (depth <= 0) return at;
  }
  return tokens.length;
}

const isSign = (token: HclToken | undefined, sign: string): boolean =>
  token?.kind === 'sign' && token.text === sign;

function spanOf(tokens: readonly HclToken[]): Span {
  const [first, last] = [tokens[0], tokens.at(-1)] as [HclToken, HclToken];
  return { start: first.at, end: last.end };
}

function shorterList(text: string, list: readonly HclToken[], kept: readonly string[]): Cut[] {
  const span = spanOf(list);
  const values = list.filter(({ kind }) => kind === 'string');
  const left = values.filter(({ text: name }) => kept.includes(name));
  if (left.length === values.length) return [];
  if (left.length === 0) return [{ ...span, by: '[]' }];
  const source = text.slice(span.start, span.end);
  if (!source.includes('\n') && !source.includes('/*')) {
    const [, before = '', after = ''] = /^\[(\s*).*?(\s*)\]$/.exec(source) ?? [];
    const by = left.map(({ at, end }) => text.slice(at, end)).join(source.includes(', ') ? ', ' : ',');
    return [{ ...span, by: `[${before}${by}${after}]` }];
  }
  return list.flatMap((token, at) => {
    if (token.kind !== 'string' || kept.includes(token.text)) return [];
    const { end } =
      list.slice(at, at + 2).findLast((following) => following === token || isSign(following, ',')) ?? token;
    return [wholeLines(text, { start: token.at, end }, /^[ \t]*(?:(?:#|\/\/).*)?$/)];
  });
}

/** With its lines, where nothing else is on them; of two blank lines around it, one. */
function wholeLines(text: string, { start, end }: Span, rest = /^[ \t]*$/): Cut {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = end + text.slice(end).search(/\n|$/);
  const isAlone = /^[ \t]*$/.test(text.slice(lineStart, start)) && rest.test(text.slice(end, lineEnd));
  if (!isAlone) return { start, end: end + text.slice(end).search(/[^ \t]|$/), by: '' };
  const isParted = lineStart === 0 || /\n[ \t]*\n$/.test(text.slice(0, lineStart));
  const left = text.slice(lineEnd).replace(isParted ? /^\n(?:[ \t]*(?:\n|$))?/ : /^\n/, '');
  return { start: lineStart, end: text.length - left.length, by: '' };
}

function editedJson(text: string, edits: readonly KeptCapabilities[]): string {
  const json = parseStrictJson(text) as Record<string, unknown>;
  let at = 0;
  const edited = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(edited);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([label, body]) => {
        const kept = edits[at];
        at += 1;
        if (kept === 'deleted') return [];
        if (kept === undefined) return [[label, body]];
        return [
          [
            label,
            Array.isArray(body)
              ? body.map((element) => withKept(element, kept))
              : withKept(body as Record<string, unknown>, kept),
          ],
        ];
      }),
    );
  };
  const whole = { ...json, path: edited(json['path']) };
  const indent = /\n([ \t]+)"/.exec(text)?.[1];
  return `${JSON.stringify(whole, null, indent)}${text.endsWith('\n') ? '\n' : ''}`;
}

function withKept(body: Record<string, unknown>, capabilities: string[]): unknown {
  const { policy: _, ...rest } = body;
  return { ...rest, capabilities };
}

import { requireShallow } from './nesting.ts';

/** Whether a value of JSON is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is null, or a text, list or object with nothing in it. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * Whether a service takes a value for not set, and answers so what is not set: null, "", 0, false, [] or {}.
 *
 * @param isTrueByDefault whether false says something. Defaults to false.
 */
export function isUnset(value: unknown, isTrueByDefault = false): boolean {
  return isEmpty(value) || value === 0 || (value === false && !isTrueByDefault);
}

/** Whether a value is a list of texts. */
export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** The JSON that a text holds; undefined where it holds none. The parser's error would quote the text, and secrets in it. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether JSON from outside is nested deeper, or has more values, than anyone sends. To be asked before it is parsed: the
 * parser takes seconds for millions of brackets, and what reads the values takes longer.
 *
 * @param limits objects and lists in each other, and values in all
 */
export function isUnwieldyJson(
  text: string,
  { deepest = 100, most = 200_000 }: { deepest?: number; most?: number } = {},
): boolean {
  let [depth, values, isString] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isString) {
      if (character === '\\') at += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      values += 1;
    } else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',') values += 1;
    if (depth > deepest || values > most) return true;
  }
  return false;
}

/**
 * The JSON that a text of a plan holds, to be walked.
 *
 * @throws GatehouseError `nested_too_deep`
 */
export function shallowJsonIn(text: string): unknown {
  const json = jsonIn(text);
  requireShallow(json, 'a text that is JSON');
  return json;
}

/** The JSON object that a text holds; undefined where it holds anything else. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const json = jsonIn(text);
  return isObject(json) ? json : undefined;
}

/** A text as JSON, as Go's encoding/json writes it. */
export function goJson(text: string): string {
  return asGo(JSON.stringify(text));
}

/** JSON with HTML characters escaped, as Go does. */
export function asGo(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** JSON's strings, and the marks that open, close and part its objects and lists. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs;

/**
 * `JSON.parse` that refuses an object with the same name twice: readers disagree which of the two holds
 * (docs/inside/measured/weaknesses.md#known-weaknesses, CVE-2026-19194).
 *
 * @throws SyntaxError
 */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  /** The names so far of each open object; undefined for a list. */
  const objects: (Set<string> | undefined)[] = [];
  let string = '';
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{') objects.push(new Set());
    else if (token === '[') objects.push(undefined);
    else if (token === '}' || token === ']') objects.pop();
    else if (token === ':') {
      const name = JSON.parse(string) as string;
      const names = objects.at(-1);
      if (names?.has(name)) throw new SyntaxError('a name is there twice');
      names?.add(name);
    } else if (token !== ',') string = token;
  }
  return value;
}

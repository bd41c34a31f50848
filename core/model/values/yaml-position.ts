import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/**
 * Where a path is in a YAML text, as `line:column`: a key where its name begins, an element where its value does. For
 * what is not there it is the nearest part around it that is.
 *
 * @returns undefined where not even the path's first part is there.
 */
export function positionIn(text: string, path: PropertyKey[]): string | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const target = (node: unknown) => (isAlias(node) ? node.resolve(document) : node);
  let node: unknown = document.contents;
  let found: Node | undefined;
  for (const part of path) {
    const inner = target(node);
    if (isMap(inner)) {
      const pair = inner.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) break;
      [found, node] = [pair.key as Node, pair.value];
    } else if (isSeq(inner) && typeof part === 'number' && isNode(inner.items[part])) {
      found = inner.items[part];
      node = found;
    } else break;
  }
  if (!found?.range) return undefined;
  const { line, col } = lines.linePos(found.range[0]);
  return `${line}:${col}`;
}

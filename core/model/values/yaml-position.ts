import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';

/** Finds paths in a YAML text, which is parsed once. */
export function positionsIn(text: string): (path: PropertyKey[]) => string | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return (path) => positionIn(document, lines, path);
}

/**
 * Where a path is, as `line:column`: a key where its name begins, an element where its value does. For what is not
 * there it is the nearest part around it that is.
 *
 * @returns undefined where not even the path's first part is there.
 */
function positionIn(document: Document, lines: LineCounter, path: PropertyKey[]): string | undefined {
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

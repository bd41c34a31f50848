import type { Node } from 'yaml';
import { readYaml, type YamlDocument } from './yaml-document.ts';
import { yamlLibrary } from './yaml-library.ts';

/** Finds paths in a YAML text, which is parsed once: `main.yaml:3:5`. @throws GatehouseError `stack_file_invalid` */
export function positionsIn(name: string, text: string): (path: PropertyKey[]) => string | undefined {
  const read = readYaml(name, text);
  return (path) => positionIn(read, path);
}

/**
 * Where a path is, a key where its name begins, an element where its value does. For what is not
 * there it is the nearest part around it that is.
 *
 * @returns undefined where not even the path's first part is there.
 */
function positionIn({ document, targets, place }: YamlDocument, path: PropertyKey[]): string | undefined {
  const { isAlias, isMap, isNode, isScalar, isSeq } = yamlLibrary();
  const target = (node: unknown) => (isAlias(node) ? targets.get(node) : node);
  let node: unknown = document.contents;
  let nearestNode: Node | undefined;
  for (const part of path) {
    const inner = target(node);
    if (isMap(inner)) {
      const pair = inner.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) break;
      [nearestNode, node] = [pair.key as Node, pair.value];
    } else if (isSeq(inner) && typeof part === 'number' && isNode(inner.items[part])) {
      nearestNode = inner.items[part];
      node = nearestNode;
    } else break;
  }
  return nearestNode?.range ? place(nearestNode.range[0]) : undefined;
}

import type { Alias, Document, Node } from 'yaml';
import { GatehouseError } from './errors.ts';
import { yamlLibrary } from './yaml-library.ts';

/** A YAML document whose aliases all have their anchors, and do not make it too large. */
export interface YamlDocument {
  document: Document.Parsed;
  /** What each alias stands for. */
  targets: ReadonlyMap<Alias, Node>;
  /** `Pulumi.dev.yaml:3:5` */
  place(offset: number): string;
}

/**
 * How much aliases may add to a file: values, and one more for each hundred letters of a text. Twenty thousand roles that share
 * what they have add half of it; all of it takes some seconds to check.
 */
export const mostByAliases = 500_000;

/**
 * Reads a stack file, or the file that `gatehouse:file` names.
 *
 * @param name of the file, for errors
 * @param schema `failsafe` keeps every scalar as text. Defaults to YAML 1.2's own.
 * @throws GatehouseError `stack_file_invalid`; it holds nothing of the file
 */
export function readYaml(name: string, text: string, schema: 'core' | 'failsafe' = 'core'): YamlDocument {
  const { LineCounter, parseDocument } = yamlLibrary();
  const lines = new LineCounter();
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const document = parseDocument(text, { schema, lineCounter: lines, prettyErrors: false });
  const [problem] = document.errors;
  if (problem?.code === 'MULTIPLE_DOCS') {
    throw new GatehouseError('stack_file_invalid.documents', { where: place(problem.pos[0]) });
  }
  if (problem)
    throw new GatehouseError('stack_file_invalid', {
      where: place(problem.pos[0]),
      values: { reason: problem.message },
    });
  return { document, targets: measured(document, place), place };
}

/**
 * The value of a whole file. Aliases of one anchor are one object, so it is made in the time of the file as it is written;
 * the library's own way looks through all aliases for each of them.
 *
 * @throws GatehouseError `stack_file_invalid`
 */
export function yamlValue(name: string, text: string): unknown {
  const { document, targets, place } = readYaml(name, text);
  const { isAlias, isMap, isScalar, isSeq } = yamlLibrary();
  const values = new Map<Node, unknown>();

  function readValue(node: unknown): unknown {
    if (isAlias(node)) return values.get(targets.get(node) as Node);
    if (isScalar(node)) return noted(node, node.value);
    if (isSeq(node)) return noted(node, node.items.map(readValue));
    if (!isMap(node)) return null;
    return noted(
      node,
      Object.fromEntries(node.items.map(({ key, value }) => [keyOf(key), readValue(value)])),
    );
  }

  function keyOf(node: unknown): string {
    const key = readValue(node);
    if (typeof key !== 'object' || key === null) return String(key ?? '');
    throw new GatehouseError('stack_file_invalid.key', { where: place((node as Node).range?.[0] ?? 0) });
  }

  function noted(node: Node & { anchor?: string }, value: unknown): unknown {
    if (node.anchor !== undefined) values.set(node, value);
    return value;
  }

  return readValue(document.contents);
}

/**
 * What the aliases stand for. In one walk, as an anchor comes before its aliases: the size of what it names is then known
 * already, so the work is that of the file as it is written.
 *
 * @throws GatehouseError `stack_file_invalid` for an alias of nothing or of what it is in, and for too large a file
 */
function measured(document: Document.Parsed, place: YamlDocument['place']): YamlDocument['targets'] {
  const { isAlias, isCollection, isPair, isScalar } = yamlLibrary();
  const targets = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  /** The value of an anchor; undefined while it is being walked. */
  const sizes = new Map<Node, number | undefined>();
  const at = ({ range }: Node) => place(range?.[0] ?? 0);
  /** What was walked so far, as it is written. */
  let written = 0;

  function ofAlias(alias: Alias): number {
    const target = anchors.get(alias.source);
    if (target === undefined)
      throw new GatehouseError('stack_file_invalid.anchor_missing', {
        where: at(alias),
        values: { anchor: alias.source },
      });
    const size = sizes.get(target);
    if (size === undefined)
      throw new GatehouseError('stack_file_invalid.anchor_circular', {
        where: at(alias),
        values: { anchor: alias.source },
      });
    targets.set(alias, target);
    return size;
  }

  function sizeOf(node: unknown): number {
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value);
    if (isAlias(node)) return ofAlias(node);
    if (!isScalar(node) && !isCollection(node)) return 1;
    if (node.anchor !== undefined) {
      anchors.set(node.anchor, node);
      sizes.set(node, undefined);
    }
    const own = isScalar(node) ? 1 + Math.floor((node.source?.length ?? 0) / 100) : 1;
    written += own;
    let size = own;
    if (isCollection(node)) for (const item of node.items) size += sizeOf(item);
    if (size - written > mostByAliases) {
      throw new GatehouseError('stack_file_invalid.aliases', {
        where: at(node),
        allowed: `${mostByAliases} values more than are written`,
      });
    }
    if (node.anchor !== undefined) sizes.set(node, size);
    return size;
  }

  sizeOf(document.contents);
  return targets;
}

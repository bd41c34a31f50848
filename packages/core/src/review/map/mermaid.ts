import { cut } from '../../graph/values/cut.ts';
import { visible } from '../../graph/values/visible.ts';
import type { AccessMap, MapEdge, MapNode, State } from './access-map.ts';

/** Mermaid, and with it the code hosts, refuses a drawing of more than 500 lines or 50,000 characters. */
const most = { parts: 200, characters: 40_000, notes: 10, label: 80 };

const signs: Record<State, string> = { same: '', appears: '+ ', goes: '− ' };

/** A map as a flowchart of Mermaid: what changes first, and how much is left out. */
export function mermaidMap({ nodes, edges, missing }: AccessMap): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  // From the paths on: where not all fits, what is given counts more than the many who have it.
  const parts = [...edges.toReversed(), ...nodes.filter(({ id }) => !joined.has(id))].sort(changesFirst);
  const drawn = new Set<string>();
  const lines: string[] = [];
  let [size, linesDrawn] = [0, 0];
  for (const part of parts.slice(0, most.parts)) {
    const fresh = idsOf(part).flatMap((id) => (drawn.has(id) ? [] : (byId.get(id) ?? [])));
    const texts = [...fresh.map(nodeLine), ...('from' in part ? [edgeLine(part)] : [])];
    size += texts.join('\n').length;
    if (size > most.characters) break;
    lines.push(...texts);
    for (const { id } of fresh) drawn.add(id);
    if ('from' in part) linesDrawn += 1;
  }
  const [linesLeft, boxesLeft] = [edges.length - linesDrawn, nodes.length - drawn.size];
  const notes = [
    ...missing.slice(0, most.notes).map((what) => `Not known: ${what}`),
    ...(missing.length > most.notes ? [`Not known: ${missing.length - most.notes} more`] : []),
    ...(linesLeft + boxesLeft > 0
      ? [`Not drawn: ${linesLeft} of ${edges.length} lines, ${boxesLeft} of ${nodes.length} boxes`]
      : []),
    ...(nodes.length === 0 ? ['Nothing to draw'] : []),
  ];
  return `${[
    'flowchart LR',
    ...lines,
    ...notes.map((text, index) => `  note${index + 1}[${quoted(text)}]`),
    '  classDef appears stroke:#1a7f37,stroke-width:3px',
    '  classDef goes stroke:#cf222e,stroke-width:3px,stroke-dasharray:6 4',
  ].join('\n')}\n`;
}

function changesFirst(one: { state: State }, other: { state: State }): number {
  return Number(one.state === 'same') - Number(other.state === 'same');
}

function idsOf(part: MapEdge | MapNode): string[] {
  return 'from' in part ? [part.from, part.to] : [part.id];
}

function nodeLine({ id, title, detail, state }: MapNode): string {
  const detailText = detail === '' || title.includes(detail) ? '' : `, ${detail}`;
  return `  ${id}[${quoted(`${signs[state]}${title}${detailText}`)}]${state === 'same' ? '' : `:::${state}`}`;
}

/** Denials are dotted. */
function edgeLine({ from, to, label, state }: MapEdge): string {
  const text = `${signs[state]}${label}`.trim();
  return `  ${from} ${label === 'deny' ? '-.->' : '-->'}${text && `|${quoted(text)}|`} ${to}`;
}

/**
 * A text in quotes, without anything that Mermaid, Markdown or HTML reads: all but letters, digits and a few signs are
 * character references, which become text after all of these are read.
 */
function quoted(text: string): string {
  const line = cut(
    visible(text.toWellFormed())
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    most.label,
  );
  const references = /[^\p{L}\p{M}\p{N} /,-]|(?<![\p{L}\p{N}])-|-(?![\p{L}\p{N}])/gu;
  return `"${line.replace(references, (sign) => `#${sign.codePointAt(0)};`)}"`;
}

import { cut } from '../../model/values/cut.ts';
import { visible } from '../../model/values/visible.ts';
import { type AccessMap, columns, linksOf, type MapEdge, type MapNode, type State } from './access-map.ts';

/** In pixels. */
const [width, boxWidth, boxHeight, pitch, top] = [1240, 256, 34, 40, 72];
/** Most characters of a label and of what stands below it; the title has the whole. */
const [mostOfLabel, mostOfDetail] = [31, 42];
/** Links that rules of style list. A map with more cannot be chosen from: its file would be too large. */
const mostLinks = 200_000;

const signs: Record<State, string> = { same: '', appears: '+ ', goes: '− ' };
const words: Record<State, string> = { same: '', appears: ', appears', goes: ', goes' };

/** A text with the sign of what becomes of it. */
export function signed(state: State, text: string): string {
  return `${signs[state]}${text}`;
}

/** The colors of what is selected: the drawing, or a page around it, too. */
const colors = (
  of: string,
) => `${of} { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #57606a; --line: #9aa4af; --box: #f3f5f7; --plus: #116329; --minus: #a40e26; --mark: #0550ae }
@media (prefers-color-scheme: dark) { ${of} { --paper: #0f1419; --ink: #e8ecf0; --faint: #a3adb8; --line: #65707c; --box: #1c232b; --plus: #6fdd8b; --minus: #ff9ba3; --mark: #7ab7ff } }`;
const looks = `.map { background: var(--paper); font: 13px system-ui, sans-serif }
.map text { fill: var(--ink); unicode-bidi: isolate }
.map .small { fill: var(--faint); font-size: 11px }
.map rect { fill: var(--box); stroke: var(--line); pointer-events: all }
.map .ground { fill: var(--paper); stroke: none }
.map .line { fill: none; stroke: var(--line); stroke-width: 1.2 }
.map .appears > rect, .map .line.appears { stroke: var(--plus); stroke-width: 2.4 }
.map .goes > rect, .map .line.goes { stroke: var(--minus); stroke-width: 1.6; stroke-dasharray: 6 4 }
.map .line.deny { stroke-dasharray: 1 4; stroke-width: 2 }
.map a { outline: none }
.map a:hover text:first-of-type, .map .all text { text-decoration: underline }
.map a:focus-visible > rect { stroke: var(--mark); stroke-width: 4 }
.map .node { scroll-margin: 40vh }
.map .node:target > rect { stroke: var(--mark); stroke-width: 3 }
.map .node:target text { font-weight: 700 }`;

/** A map as a drawing that stands by itself: a node that is chosen shows what it reaches and what reaches it. No script. */
export function mapSvg(map: AccessMap): string {
  const links = linksOf(map);
  return mapDrawing(map, links, `<style>${mapStyle(map, ':root', links)}</style>\n`);
}

/** The style of a map's drawing. @param colored what has its colors: `:root` for a page in the same ones */
export function mapStyle(map: AccessMap, colored: ':root' | '.map', links = linksOf(map)): string {
  return [colors(colored), looks, choices(map, links)].join('\n');
}

/** The drawing without its style. */
export function mapDrawing(map: AccessMap, links = linksOf(map), style = ''): string {
  const { nodes, edges, missing } = map;
  const byColumn = columns.map((column) => nodes.filter((node) => node.column === column));
  const tallest = Math.max(1, ...byColumn.map(({ length }) => length)) * pitch;
  const xOf = (column: number) => 8 + Math.round((column * (width - 16 - boxWidth)) / (columns.length - 1));
  const places = new Map(
    byColumn.flatMap((column, at) =>
      column.map(({ id }, index) => {
        const y = Math.round(top + ((index + 0.5) * tallest) / column.length);
        return [id, { x: xOf(at), y }] as const;
      }),
    ),
  );
  const into = Map.groupBy(edges, ({ to }) => to);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const height = top + tallest + 12 + missing.length * 18;
  const lines = edges.map(({ from, to, label, state }, index) => {
    const [start, end] = [places.get(from), places.get(to)];
    if (start === undefined || end === undefined) return '';
    const [x, far] = [start.x + boxWidth, end.x];
    const half = (x + far) / 2;
    const name = [from, to].map((id) => byId.get(id)?.title).join(' → ');
    return `<path id="e${index}" class="line ${state}${label === 'deny' ? ' deny' : ''}" d="M${x} ${start.y}C${half} ${start.y} ${half} ${end.y} ${far} ${end.y}"><title>${escaped(`${name}${label && `: ${label}`}${words[state]}`)}</title></path>`;
  });
  const title = `Access map. ${summaryOf(map)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" id="all" class="map" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escaped(title)}</title>
${style}<defs><clipPath id="box"><rect width="${boxWidth - 6}" height="${boxHeight}"/></clipPath></defs>
<rect class="ground" width="100%" height="100%"/>
<text x="8" y="22">${escaped(title)}${isChange(map) ? '. + and thick: appears. − and dashes: goes.' : ''}${edges.some(({ label }) => label === 'deny') ? '. Dots: denied.' : ''}</text>
<a class="all" href="#all"><text x="${width - 8}" y="22" text-anchor="end">Show all</text></a>
${columns.map((column, at) => `<text class="small" x="${xOf(at)}" y="54">${column.toUpperCase()}</text>`).join('\n')}
<g aria-hidden="true">
${lines.join('\n')}
</g>
${nodes.map((node) => box(described(node, into.get(node.id)), places.get(node.id), links.get(node.id)?.size)).join('\n')}
${missing.map((what, index) => `<text x="8" y="${top + tallest + 18 + index * 18}">${escaped(cut(`? Not known: ${what}`, 180))}</text>`).join('\n')}
</svg>
`;
}

/** How many there are of each, in words. */
export function summaryOf({ nodes }: AccessMap): string {
  return columns
    .map((column) => `${column}: ${nodes.filter((node) => node.column === column).length}`)
    .join(', ');
}

export function isChange({ nodes, edges }: AccessMap): boolean {
  return [...nodes, ...edges].some(({ state }) => state !== 'same');
}

/** A path, with what can be done there. */
function described(node: MapNode, lines: readonly MapEdge[] = []): MapNode {
  if (node.column !== 'paths') return node;
  const given = new Set(lines.map(({ state, label }) => signed(state, label)));
  return { ...node, detail: [...given, node.detail].filter(Boolean).join('; ') };
}

function box({ id, label, detail, title, state }: MapNode, { x, y } = { x: 0, y: 0 }, links = 0): string {
  const whole = [title, ...(detail === '' || title.includes(detail) ? [] : [detail])].join(', ');
  const [first, second] = [signed(state, cut(label, mostOfLabel)), cut(detail, mostOfDetail)];
  // What is heard begins with what is seen (WCAG 2.5.3).
  const heard = `${[first, second].filter(Boolean).join(' ')}; ${whole}${words[state]}; ${links} linked`;
  return `<a id="${id}" class="node ${state}" href="#${id}" transform="translate(${x} ${y - boxHeight / 2})" aria-label="${escaped(heard)}"><title>${escaped(whole)}</title><rect width="${boxWidth}" height="${boxHeight}" rx="5"/><g clip-path="url(#box)"><text x="8" y="${second === '' ? 22 : 15}">${escaped(first)}</text>${second && ` <text class="small" x="8" y="28">${escaped(second)}</text>`}</g></a>`;
}

/** What is shown where a node is chosen: the node, its links, and the lines between them. */
function choices({ edges }: AccessMap, links: ReadonlyMap<string, ReadonlySet<string>>): string {
  if ([...links.values()].reduce((sum, { size }) => sum + size, 0) > mostLinks) return '';
  const rules = [...links].map(([id, linked]) => {
    const shown = new Set([id, ...linked]);
    const boxes = [...shown].map((one) => `#${one}>rect`);
    const lines = edges.flatMap(({ from, to }, at) => (shown.has(from) && shown.has(to) ? `#e${at}` : []));
    return `.map:has(#${id}:target) :is(${[...boxes, ...lines].join()}) { visibility: visible }`;
  });
  return ['.map:has(.node:target) :is(.line, .node > rect) { visibility: hidden }', ...rules].join('\n');
}

/** Text for elements and quoted attributes, without what no XML document may have. */
export function escaped(text: string): string {
  return (
    visible(text.toWellFormed())
      .replace(/\s+/g, ' ')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: removes them
      .replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, '')
      .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
  );
}

import type { AccessMap, MapEdge, MapNode } from './access-map.ts';
import { escaped, isChange, mapDrawing, mapSvg, signed, summaryOf } from './map-svg.ts';

/** In the colors of the drawing. */
const style = `body { margin: 0; padding: 1rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
a { color: var(--mark) }
.scroll { overflow-x: auto; border: 1px solid var(--line); margin-bottom: 1rem }
.scroll svg { display: block }
table { border-collapse: collapse; width: 100%; min-width: 46rem }
caption { text-align: left; padding: .5rem }
th, td { border: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere }
th { background: var(--box) }`;

/** A map as a page. No script, and nothing from elsewhere. */
export function mapPage(map: AccessMap): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Access map · Gatehouse</title>
<style>${style}</style>
</head>
<body>
<header><a href="#table">Skip to the table</a></header>
<main>
<h1>Access map</h1>
${mapContent(map, mapSvg(map))}</main>
</body>
</html>
`;
}

/** The content of a page: the drawing, and a table that says the same. Without style, if its drawing is. */
export function mapContent(map: AccessMap, drawing = mapDrawing(map)): string {
  const { nodes, edges, missing } = map;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const into = Map.groupBy(edges, ({ to }) => to);
  const outOf = Map.groupBy(edges, ({ from }) => from);
  const link = (id: string, { state, label = '' }: Pick<MapEdge, 'state'> & Partial<MapEdge>) => {
    const { title = '', detail = '' } = byId.get(id) ?? {};
    const more = [detail !== '' && !title.includes(detail) && ` (${detail})`, label && `: ${label}`];
    return `<a href="#${id}">${escaped(signed(state, title))}</a>${escaped(more.filter(Boolean).join(''))}`;
  };
  const list = (links: readonly string[]) => (links.length === 0 ? '–' : links.join('<br>'));
  const rowOf = (grant: MapNode | undefined, line: Pick<MapEdge, 'state' | 'to'> | undefined) => {
    const who = grant === undefined ? [] : (into.get(grant.id) ?? []).map((edge) => link(edge.from, edge));
    const paths = line === undefined ? [] : (outOf.get(line.to) ?? []).map((edge) => link(edge.to, edge));
    const first = grant === undefined ? 'no one' : link(grant.id, { state: grant.state });
    const cells = [who, line === undefined ? [] : [link(line.to, line)], paths];
    return `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${list(cell)}</td>`).join('')}</tr>`;
  };
  const rows = nodes.flatMap((node) => {
    if (node.column === 'policies')
      return into.has(node.id) ? [] : [rowOf(undefined, { state: node.state, to: node.id })];
    if (node.column !== 'roles and groups') return [];
    const lines = outOf.get(node.id) ?? [undefined];
    return lines.map((line) => rowOf(node, line));
  });
  return `<p>Shown: ${escaped(summaryOf(map))}. Choose one to see what it reaches and what reaches it.${isChange(map) ? ' + appears, − goes.' : ''}</p>
${missing.length === 0 ? '' : `<ul>${missing.map((what) => `<li>Not known: ${escaped(what)}</li>`).join('')}</ul>`}
<div class="scroll" role="region" aria-label="Map" tabindex="0">
${drawing}</div>
<div id="table" class="scroll" role="region" aria-label="Table" tabindex="0">
<table class="listed">
<caption>What each role and group gives, and to whom</caption>
<thead><tr><th scope="col">Role or group</th><th scope="col">Principals</th><th scope="col">Policy</th><th scope="col">Paths and capabilities</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>
`;
}

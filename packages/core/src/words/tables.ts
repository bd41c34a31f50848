import type { EdgeKind } from '../access/edges/edge.ts';
import { edges, rowsOf } from '../access/edges/edges.ts';
import { listsOf } from '../access/reached.ts';

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** The table of edges for documentation: a line of Markdown a row. */
export function edgesTable(): string[] {
  const lines = (Object.keys(edges) as EdgeKind[]).flatMap((kind) =>
    rowsOf(kind).map((edge) => {
      const { attribute, decides, source } = edge;
      const leads = edge.how === undefined ? ['–', '–'] : [edge.how, edge.to];
      const lists = edge.how === undefined ? edge.opens && listsOf(edge.opens) : edge.lists;
      const isOpenWithout = [...new Set(lists)].sort().join(', ') || '–';
      const shownBy = source === undefined ? 'OpenBao' : `${source.file}, \`${source.symbol}\``;
      return line([kind, `\`${attribute}\``, decides.join(', '), ...leads, isOpenWithout, shownBy]);
    }),
  );
  const head = ['From', 'By', 'Decides', 'How', 'To', 'Open without all', 'Shown by'];
  return [line(head), line(head.map(() => '---')), ...lines];
}

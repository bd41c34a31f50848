import type { ChangeKind, ChangeNode } from '../deployment/change-tree.ts';
import type { PropertyChange } from '../deployment/property-changes.ts';
import { lineDiff, withContext } from '../terminal/line-diff.ts';
import { given, printable, type Style } from '../terminal/style.ts';
import { valueText } from './value-text.ts';

const symbols: Record<ChangeKind, { symbol: string; style: keyof Style }> = {
  create: { symbol: '+', style: 'added' },
  update: { symbol: '~', style: 'changed' },
  replace: { symbol: '+-', style: 'replaced' },
  delete: { symbol: '-', style: 'removed' },
  read: { symbol: '>', style: 'faint' },
  import: { symbol: '=', style: 'added' },
  discard: { symbol: '<', style: 'removed' },
  same: { symbol: ' ', style: 'faint' },
};

interface ChangeTreeOptions {
  style: Style;
  /** Show URNs, which `--target` takes. */
  showUrns: boolean;
  /** Show the inputs of resources that are created. */
  showInputs: boolean;
}

/** The change tree as lines: each resource, its changes, then its children. */
export function changeTreeText(nodes: ChangeNode[], options: ChangeTreeOptions): string[] {
  return nodes.flatMap((node) => nodeText(node, '  ', options));
}

function nodeText(node: ChangeNode, indent: string, options: ChangeTreeOptions): string[] {
  const { style, showUrns, showInputs } = options;
  const { symbol, style: name } = symbols[node.kind];
  const title = printable(`${symbol.padEnd(2)} ${node.title}`);
  const below = `${indent}     `;
  const inputs = Object.entries((showInputs && node.inputs) || {});
  return given(
    indent + style[name](title) + (node.failed ? style.removed('  failed') : ''),
    showUrns && below + style.faint(node.urn),
    node.initErrors.map(
      (error) => below + style.removed(`last time: ${printable(error).replaceAll('\n', `\n${below}`)}`),
    ),
    inputs.map(([property, value]) => `${below}${property}: ${valueText(value, below)}`),
    node.changes.flatMap((change) => changeText(change, below, style)),
    node.children.flatMap((child) => nodeText(child, `${indent}   `, options)),
  );
}

function changeText(change: PropertyChange, indent: string, style: Style): string[] {
  const path = `${indent}${change.path}:`;
  const note = change.replaces ? style.replaced('  (forces a replacement)') : '';
  switch (change.kind) {
    case 'added':
      return [`${path} ${style.added(`+ ${valueText(change.new, indent)}`)}${note}`];
    case 'removed':
      return [`${path} ${style.removed(`- ${valueText(change.old, indent)}`)}${note}`];
    case 'differs':
      return [`${path} ${style.changed('differs on the service')}${note}`];
    case 'entries':
      return [
        `${path}${note}`,
        ...change.removed.map(
          (entry) => `${indent}  ${style.removed(`- ${valueText(entry, `${indent}  `)}`)}`,
        ),
        ...change.added.map((entry) => `${indent}  ${style.added(`+ ${valueText(entry, `${indent}  `)}`)}`),
      ];
    case 'changed':
      return isLongText(change.old) && isLongText(change.new)
        ? [`${path}${note}`, ...textChange(change.old, change.new, `${indent}  `, style)]
        : [`${path} ${valueText(change.old, indent)} → ${valueText(change.new, indent)}${note}`];
  }
}

function textChange(textBefore: string, textAfter: string, indent: string, style: Style): string[] {
  const before = withoutLastBreak(textBefore);
  const after = withoutLastBreak(textAfter);
  if (before === after) return [`${indent}  ${style.faint('only the line break at the end')}`];
  return withContext(lineDiff(before, after), 2).map(({ kind, text }) => {
    if (kind === 'same') return `${indent}  ${style.faint(text)}`.trimEnd();
    return indent + (kind === 'added' ? style.added(`+ ${text}`) : style.removed(`- ${text}`));
  });
}

/** A line break at the end does not begin another line. */
function withoutLastBreak(text: string): string {
  return text.replace(/\n$/, '');
}

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && valueText(value).includes('\n');
}

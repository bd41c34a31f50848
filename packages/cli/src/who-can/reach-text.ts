import { inertCode, inertText, type WhoCanReport, whoCanWords } from '@gatehouse/core/review';
import { largestOf } from '@gatehouse/core/values';
import { given, printable, type Style } from '../terminal/style.ts';
import { quoted } from '../up/value-text.ts';
import type { ReachReport } from './who-can.ts';

const markStyles = { '+': 'added', '?': 'changed', '!': 'changed' } as const;

export function whoCanText(report: WhoCanReport, style: Style): string {
  const { answer, question, rows } = whoCanWords(report);
  return lines([
    `${style.strong(answer)} ${printable(question)}`,
    ...rows.flatMap(({ mark, text, details }) => [
      mark === '' ? printable(text) : `${style[markStyles[mark]](mark)} ${printable(text)}`,
      ...details.map((detail) => style.faint(`    ${printable(detail)}`)),
    ]),
  ]);
}

/**
 * Everything that a role reaches, for people.
 *
 * @param width of the terminal; a table that does not fit becomes a list. Defaults to any.
 */
export function accessText(report: ReachReport, style: Style, width = Infinity): string {
  const { principal, source, groups, policies, rows, unread, missing, otherGroups, refused } = report;
  const within =
    groups.length === 0 ? '' : ` in ${groups.length === 1 ? 'group' : 'groups'} ${groups.join(', ')}`;
  const head = `${principal}${within} (${source})`;
  if (refused !== undefined) {
    return lines([
      `${style.removed('Does not sign in')}, ${printable(head)}`,
      `  at ${refused.step.replaceAll('_', ' ')}: ${printable(refused.message)}`,
    ]);
  }
  const table = [
    ['PATH', 'CAPABILITIES', 'POLICY', 'LIMITS'],
    ...rows.map((row) => [
      row.pattern,
      row.capabilities.join(', '),
      row.policies.join(', '),
      row.limits.join(', '),
    ]),
  ].map((cells) => cells.map(printable));
  const widths = [0, 1, 2].map((at) => largestOf(table.map((cells) => cells[at]?.length ?? 0)));
  const inColumns = (cell: string, at: number) => cell.padEnd(widths[at] ?? 0);
  const text = table.map((cells) => cells.map(inColumns).join('  ').trimEnd());
  const fits = text.every((line) => line.length <= width);
  const listed = table
    .slice(1)
    .flatMap(([pattern = '', ...cells]) => [pattern, `    ${cells.filter(Boolean).join('; ')}`]);
  const [heading = '', ...rest] = text;
  return lines([
    `${style.strong(printable(head))}: ${rows.length === 0 ? 'nothing' : `policies ${policies.join(', ')}`}`,
    ...given(rows.length > 0 && (fits ? [style.faint(heading), ...rest] : listed)),
    ...unread.map((name) => `${style.changed('?')} not known: what policy ${printable(name)} allows`),
    ...missing.map((what) => `${style.changed('?')} not known: ${printable(what)}`),
    ...otherGroups.map((otherGroup) =>
      style.faint(
        printable(
          `group ${otherGroup.group} (${otherGroup.alias}) adds: ${otherGroup.policies.join(', ') || 'nothing'}`,
        ),
      ),
    ),
  ]);
}

/** Everything that a role reaches, as a table of Markdown. */
export function accessMarkdown({ principal, source, rows, unread, missing }: ReachReport): string {
  const cell = (texts: readonly string[]) => texts.map((text) => inertCode(text)).join(', ');
  return lines([
    `**${inertText(principal)}** (${source})`,
    '',
    '| Path | Capabilities | Policy | Limits |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ pattern, capabilities, policies, limits }) =>
        `| ${cell([pattern])} | ${capabilities.join(', ')} | ${cell(policies)} | ${limits.join(', ')} |`,
    ),
    ...unread.map((name) => `\nNot known: ${inertText(`what policy ${name} allows`)}`),
    ...missing.map((what) => `\nNot known: ${inertText(what)}`),
  ]);
}

/** The effective policy: what one policy would say that allows the same, with where each capability is from. */
export function accessHcl({ principal, source, rows, unread, missing }: ReachReport): string {
  const comment = (text: string) => `# ${printable(text).replace(/\s+/g, ' ')}`;
  return lines([
    comment(`Effective policy of ${principal} (${source}).`),
    ...unread.map((name) => comment(`Not known: what policy ${name} allows.`)),
    ...missing.map((what) => comment(`Not known: ${what}.`)),
    ...rows.flatMap(({ pattern, capabilities, from, limits }) => [
      '',
      `path ${quoted(pattern)} {`,
      '  capabilities = [',
      ...capabilities.map(
        (capability) =>
          `    ${JSON.stringify(capability)}, ${comment(`from: ${(from[capability] ?? []).join(', ')}`)}`,
      ),
      '  ]',
      ...(limits.length > 0 ? [`  ${comment(`with limits: ${limits.join(', ')}`)}`] : []),
      '}',
    ]),
  ]);
}

function lines(all: string[]): string {
  return `${all.join('\n')}\n`;
}

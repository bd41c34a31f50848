import { inertCode, inertText, tokensLeftOut } from '@gatehouse/core/review';
import { largestOf, partName, shortened } from '@gatehouse/core/values';
import { given, printable, type Style } from '../terminal/style.ts';
import { quoted } from '../up/value-text.ts';
import type { ReachReport, WhoCanReport } from './who-can.ts';

export function whoCanText(report: WhoCanReport, style: Style): string {
  const { capability, path, source, answer, abilities, missing, tokens } = report;
  const able = abilities.filter(({ can }) => can === 'yes').length;
  const unknown = abilities.length - able;
  const heads = {
    yes: `${able} ${able === 1 ? 'principal' : 'principals'} can`,
    no: 'No one can',
    unknown: 'Whether anyone can is not known',
  };
  const sudoText = { yes: ' with sudo, which the path needs', unknown: ', perhaps with sudo', no: '' }[
    report.sudo ?? 'no'
  ];
  const unknownText = answer === 'yes' && unknown > 0 ? `; ${unknown} more cannot be judged` : '';
  return lines([
    `${style.strong(heads[answer])} ${capability} ${printable(path)}${sudoText} (${source}${source === 'live' ? `; not ${tokensLeftOut(tokens)}` : ''})${unknownText}`,
    ...abilities.flatMap((ability) => abilityLines(ability, report, style)),
    ...administratorLines(report, style),
    ...missing.map((text) => `${style.changed('?')} not known: ${printable(text)}`),
  ]);
}

/** Administrators that are listed. */
const mostListed = 10;

/** Who could give this access to themselves. */
function administratorLines({ administrators, abilities }: WhoCanReport, style: Style): string[] {
  if (administrators.length === 0) return [];
  const left = administrators.length - mostListed;
  return [
    `${abilities.length === 0 ? 'These' : 'These others'} could give themselves access, as they write policies, roles, groups or entities:`,
    ...administrators
      .slice(0, mostListed)
      .map(
        (administrator) =>
          `${style.changed('!')} ${printable(`${whoText(administrator)}: ${administrator.path}`)}`,
      ),
    ...(left > 0 ? [style.faint(`  and ${left} more (--json lists them)`)] : []),
  ];
}

/** Roles that a line names. */
const mostRoles = 5;
const anyOf = new Intl.ListFormat('en', { type: 'disjunction' });

/** `group admins (alias staff/admins) by role reader or operator (namespace team)` */
function whoText({ by, roles, namespace, server }: WhoCanReport['administrators'][number]): string {
  const left = roles.length - mostRoles;
  const named = [...roles.slice(0, mostRoles), ...(left > 0 ? [`${left} more`] : [])];
  // Each of the roles is enough.
  const through = named.length === 0 ? '' : ` by role ${anyOf.format(named)}`;
  const place = [namespace && `namespace ${namespace}`, server].filter(Boolean).join(', ');
  return `${nameOf(by)}${through}${place === '' ? '' : ` (${place})`}`;
}

function abilityLines(
  ability: WhoCanReport['abilities'][number],
  { path }: WhoCanReport,
  style: Style,
): string[] {
  const { policies, pattern, limits, everywhere, unread, signIn } = ability;
  const isPattern = /\+|\*$/.test(path);
  const where = isPattern && `${everywhere ? 'all of it, ' : ''}for example ${ability.path}`;
  const mark = ability.can === 'yes' ? style.added('+') : style.changed('?');
  const details = given(
    given(pattern !== undefined && `policy ${policies.join(', ')}: ${pattern}`, where).join('; '),
    limits.length > 0 && `limited by ${limits.join(', ')}`,
    unread.length > 0 && `not known: what ${unread.join(', ')} allows`,
    ability.reaches && `in namespace ${shortened(ability.reaches, 8, ' and ')}`,
    signIn?.whom && `lets in ${signIn.whom}`,
    signIn && `signs in to ${signIn.role} with ${claimsText(signIn.token.claims)}`,
  );
  return [
    `${mark} ${printable(whoText(ability))}`,
    ...details.filter(Boolean).map((text) => style.faint(`    ${printable(text)}`)),
  ];
}

function nameOf({ kind, name, method, alias }: WhoCanReport['abilities'][number]['by']): string {
  if (kind === 'role') return partName('role', method, name);
  if (kind === 'group') return `${partName('group', name)} (${partName('alias', method, alias)})`;
  if (kind === 'anyone') return 'anyone without a token';
  if (kind === 'other') return name;
  return kind === 'members' ? `members of ${partName('group', name)}` : partName('entity', name);
}

/** Claims as JSON, with a blank after each comma, where a terminal can break the line. */
function claimsText(claims: object): string {
  const members = Object.entries(claims).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  return `{${members.join(', ')}}`;
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

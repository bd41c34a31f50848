import { shortened } from '../../graph/values/cut.ts';
import { partName } from '../../graph/values/visible.ts';
import type { WhoCanReport } from '../who-can.ts';
import { tokensLeftOut } from './words.ts';

/** Who can, in words. */
export interface WhoCanWords {
  /** `2 principals can` */
  answer: string;
  /** What the answer goes on with: `read secret/data/shop (plan)`. */
  question: string;
  rows: WhoCanRow[];
}

/** `+`: can. `?`: not known. `!`: could give this access to themselves. Without a mark, a line about those that follow. */
interface WhoCanRow {
  mark: '+' | '?' | '!' | '';
  text: string;
  details: string[];
}

/** Who can do something, for people. @param most administrators that are listed, at most. Defaults to 10. */
export function whoCanWords(report: WhoCanReport, most = 10): WhoCanWords {
  const { capability, path, source, answer, abilities, missing, tokens } = report;
  const able = abilities.filter(({ can }) => can === 'yes').length;
  const unknown = abilities.length - able;
  const answers = {
    yes: `${able} ${able === 1 ? 'principal' : 'principals'} can`,
    no: 'No one can',
    unknown: 'Whether anyone can is not known',
  };
  const sudoText = { yes: ' with sudo, which the path needs', unknown: ', perhaps with sudo', no: '' }[
    report.sudo ?? 'no'
  ];
  const unknownText = answer === 'yes' && unknown > 0 ? `; ${unknown} more cannot be judged` : '';
  const leftOut = source === 'live' || source === 'snapshot' ? `; not ${tokensLeftOut(tokens)}` : '';
  return {
    answer: answers[answer],
    question: `${capability} ${path}${sudoText} (${source}${leftOut})${unknownText}`,
    rows: [
      ...abilities.map((ability) => abilityRow(ability, report)),
      ...administratorRows(report, most),
      ...missing.map((text) => ({ mark: '?' as const, text: `not known: ${text}`, details: [] })),
    ],
  };
}

/** Who could give this access to themselves. */
function administratorRows({ administrators, abilities }: WhoCanReport, most: number): WhoCanRow[] {
  if (administrators.length === 0) return [];
  const left = administrators.length - most;
  return [
    {
      mark: '',
      text: `${abilities.length === 0 ? 'These' : 'These others'} could give themselves access, as they write policies, roles, groups or entities:`,
      details: [],
    },
    ...administrators.slice(0, most).map((administrator) => ({
      mark: '!' as const,
      text: `${whoText(administrator)}: ${administrator.path}`,
      details: [],
    })),
    ...(left > 0 ? [{ mark: '' as const, text: `  and ${left} more (--json lists them)`, details: [] }] : []),
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

function abilityRow(ability: WhoCanReport['abilities'][number], { path }: WhoCanReport): WhoCanRow {
  const { policies, pattern, limits, everywhere, unread, signIn, reaches, can } = ability;
  const isPattern = /\+|\*$/.test(path);
  const where = isPattern ? `${everywhere ? 'all of it, ' : ''}for example ${ability.path}` : '';
  const policyText = pattern === undefined ? '' : `policy ${policies.join(', ')}: ${pattern}`;
  const details = [
    [policyText, where].filter(Boolean).join('; '),
    limits.length > 0 && `limited by ${limits.join(', ')}`,
    unread.length > 0 && `not known: what ${unread.join(', ')} allows`,
    reaches && `in namespace ${shortened(reaches, 8, ' and ')}`,
    signIn?.whom && `lets in ${signIn.whom}`,
    signIn && `signs in to ${signIn.role} with ${claimsText(signIn.token.claims)}`,
  ];
  return {
    mark: can === 'yes' ? '+' : '?',
    text: whoText(ability),
    details: details.filter((detail): detail is string => !!detail),
  };
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

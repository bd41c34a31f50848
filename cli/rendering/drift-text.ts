import type { Difference } from '../../core/model/graph-difference.ts';
import { subjectIn, subjectText } from '../../core/model/subject.ts';
import { formatDuration } from '../../core/model/values/duration.ts';
import { counted } from '../../core/review/reports/words.ts';
import type { DriftReport } from '../../operations/drift.ts';
import { printable, type Style } from './style.ts';

/** What a drift comes to, for people. */
export function driftText(report: DriftReport, style: Style): string {
  const { address, differences, unmanaged, unverifiable, secrets, compared } = report;
  const { undeclaredRoles, plainEntities, promises } = report;
  const lines = [
    ...differences.map((one) => differenceText(one, style)),
    ...unmanaged.map((one) => differenceText(one, style)),
    ...unverifiable.map(({ subject, why }) => `?  ${nameText(subject)}: cannot be read. ${printable(why)}`),
    ...promises.map(
      ({ subject, message }) => `${style.removed('!')}  ${printable(`${subjectText(subject)}: ${message}`)}`,
    ),
  ];
  const things = new Set(differences.map(({ subject }) => nameText(subject))).size;
  const parts = [
    ...(differences.length === 0 ? [] : [`${things} of ${compared} differ`]),
    ...(differences.length === 0 && unverifiable.length === 0 ? ['no drift'] : []),
    ...(unmanaged.length === 0 ? [] : [`${unmanaged.length} not declared`]),
    ...(promises.length === 0
      ? []
      : [promises.length === 1 ? 'a promise does not hold' : `${promises.length} promises do not hold`]),
    ...(undeclaredRoles === 0 || unmanaged.length > 0
      ? []
      : [`${counted(undeclaredRoles, 'role')} of these methods not declared (--unmanaged)`]),
    ...(plainEntities === 0
      ? []
      : [
          plainEntities === 1
            ? '1 entity without policies of its own'
            : `${plainEntities} entities without policies of their own`,
        ]),
    ...(unverifiable.length === 0 ? [] : [`${unverifiable.length} cannot be read`]),
    ...(secrets.length === 0 ? [] : [`${counted(secrets.length, 'secret')} that no service shows`]),
  ];
  const summary = `${style.strong(address)}: ${parts.join('; ')}`;
  return `${[...lines, ...(lines.length > 0 ? [''] : []), summary].join('\n')}\n`;
}

function differenceText(
  { kind, subject, field, declared, live, note, isLeft }: Difference,
  style: Style,
): string {
  const name = nameText(subject);
  const why = note === undefined ? '' : style.faint(` (${printable(note)})`);
  if (kind === 'missing') return `${style.removed('-')}  ${name} is missing${why}`;
  if (kind === 'unmanaged') return `${style.added('+')}  ${name} is not declared${why}`;
  const left = isLeft ? style.faint('; up leaves it as it is') : '';
  if (field === 'text') return `${style.changed('~')}  ${name}: its text says something else${why}${left}`;
  return `${style.changed('~')}  ${name}  ${field}: ${valueText(field, live)}, declared ${valueText(field, declared)}${why}${left}`;
}

function nameText(subject: Difference['subject']): string {
  return printable(subjectIn(subject, (name) => name));
}

function valueText(field: string | undefined, value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value === 'number' && /ttl$|period$/i.test(field ?? '')) return formatDuration(value);
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

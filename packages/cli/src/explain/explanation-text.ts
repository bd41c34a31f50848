import type { Explanation } from '@gatehouse/core/access';
import { partName } from '@gatehouse/core/values';
import { signInNoteWords } from '@gatehouse/core/words';
import { given, printable, type Style } from '../terminal/style.ts';

export function explanationText(explanation: Explanation, style: Style): string {
  const { method, role, source, signature, notes } = explanation;
  const place = `${partName('role', method, role)} (${source})`;
  const body = explanation.signsIn
    ? passedLines(explanation, place, style)
    : refusedLines(explanation, place, style);
  const unchecked = signature === 'none' ? ['Claims alone were given: there was no signature to check.'] : [];
  const remarks = [...unchecked, ...notes.map(signInNoteWords)].map((note) =>
    style.faint(`note: ${printable(note)}`),
  );
  return `${[...body, ...remarks].join('\n')}\n`;
}

function passedLines(
  { name, metadata, policies, groups, stricter }: Explanation,
  place: string,
  style: Style,
): string[] {
  const otherMetadata = Object.entries(metadata ?? {}).filter(([key]) => key !== 'role');
  const leadNowhere = groups?.filter(({ group }) => group === undefined);
  return given(
    `${style.added('Signs in')} as ${style.strong(printable(name ?? ''))}, ${place}`,
    policies?.map((policy) => `  ${policy.name}  ${style.faint(`from ${policy.sources.join(', ')}`)}`),
    leadNowhere?.map(
      (tokenGroup) =>
        `  ${style.faint(`group ${printable(tokenGroup.name)} of the token leads to no external group`)}`,
    ),
    otherMetadata.map(([key, value]) => `  ${style.faint(`metadata ${key}: ${printable(value)}`)}`),
    stricter &&
      `The embedded service is stricter and refuses it at ${stricter.step.replaceAll('_', ' ')}: ${printable(stricter.message)}`,
  );
}

function refusedLines(explanation: Explanation, place: string, style: Style): string[] {
  const { refused: why, fixes = [], otherRoles = [] } = explanation;
  const changes = fixes.map((fix) =>
    fix.map(({ of, text }) => (of === 'token' ? text : `${text} (${of})`)).join(', and '),
  );
  return given(
    `${style.removed('Does not sign in')}, ${place}`,
    `  at ${why?.step.replaceAll('_', ' ')}: ${printable(why?.message ?? '')}`,
    changes.length > 0 && 'It would, with:',
    changes.map((change) => `  ${printable(change)}`),
    otherRoles.length > 0 && `It signs in, as it is, to: ${otherRoles.join(', ')}`,
  );
}

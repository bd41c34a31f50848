import { type AccessDecision, bearingOf, uncertainOf } from '../access/questions/change.ts';
import { type Subject, subjectText } from '../model/subject.ts';
import { subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

/** Fields that only say how long tokens live: not to know one is no reason to stop. */
const isGrave = ({ type, field }: Subject) => bearingOf(type, field) === 'access';

export const cannotBeJudged: ChangeRule = {
  id: 'cannot-be-judged',
  severity: 'error',
  about: 'What a plan leaves unknown, a policy that cannot be read, or too much to compare.',
  check: ({ unknown }, { access, complete = false }) => [
    ...unknown.map((subject) => ({
      subject,
      ...(isGrave(subject) ? {} : { severity: 'warning' as const }),
      message: `The ${subject.field ?? 'result'} of ${subjectText(subject)} is unknown until apply, or hidden. It may affect access.`,
      fix: 'Check it after the change with gatehouse drift and gatehouse explain.',
    })),
    ...ofTheWhole(unknown, access).map((missing) => ({
      subject: { type: 'service' as const, name: 'the change' },
      message: `Whether anyone gains or loses by the whole change is not known: ${missing}.`,
      fix: 'Split the change, or compare its policies, roles and groups by hand.',
    })),
    ...access.changes.flatMap((change) =>
      change.uncertain.map((missing) => ({
        subject: subjectOf(change),
        ...(change.gains === 'unknown' ? {} : { severity: 'warning' as const }),
        message: `Whether anyone gains or loses by it is not known: ${missing}.`,
        fix: 'Put what is missing into the plan, or read this part yourself.',
      })),
    ),
    ...(complete && access.gains === 'unknown'
      ? access.unseen.map((missing) => ({
          subject: { type: 'service' as const, name: 'the service' },
          message: `Not checked: ${missing}. They may gain by this change.`,
          fix: 'Put them into the plan, or leave out --complete.',
        }))
      : []),
  ],
};

/** What is missing beyond the fields and resources that the plan leaves unknown: there is too much to compare. */
function ofTheWhole(unknown: readonly Subject[], { uncertain }: AccessDecision): string[] {
  const told = new Set(uncertainOf(unknown));
  return uncertain.filter((missing) => !told.has(missing));
}

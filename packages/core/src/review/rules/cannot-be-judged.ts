import {
  type AccessDecision,
  bearingOf,
  uncertainOf,
  unmodeledReasons,
} from '../../access/questions/change.ts';
import { type Reason, reasonKey } from '../../access/reasons/reason.ts';
import type { Change } from '../../graph/change.ts';
import type { Graph } from '../../graph/graph.ts';
import { Memberships } from '../../graph/memberships.ts';
import { type Subject, subjectName } from '../../graph/subject.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import { reasonWords } from '../../words/reason-words.ts';
import { unmodeledWords } from '../../words/unmodeled-words.ts';
import { subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

/** Fields that only say how long tokens live: not to know one is no reason to stop. */
const isGrave = ({ type, field }: Subject) => bearingOf(type, field) === 'access';

export const cannotBeJudged: ChangeRule = {
  id: 'cannot-be-judged',
  severity: 'error',
  about:
    'A value unknown until apply, an unreadable policy, groups in a circle, or more than can be compared.',
  check: ({ after, unknown, unordered = [], unread = [] }, { access, complete = false }) => [
    ...circularGroups(after).map(([first = '', ...rest]) => ({
      subject: { type: 'group' as const, name: first },
      message: `Groups that are members of themselves, by their own list or by a group in it: ${listed([first, ...rest])}.`,
      fix: 'Take one of these members away: the service refuses groups in a circle, and the apply stops there.',
    })),
    ...unordered.map((subject) => ({
      subject,
      message: `The plan writes ${subjectName(subject)} and deletes it, or writes it twice, in no set order. If a write is last, it is there as that has it; if the delete is last, it is gone.`,
      fix: 'Split the change in two, or keep the resource and change it in place (`moved`, `aliases`).',
    })),
    ...without(unknown, unordered).map((subject) => ({
      subject,
      ...(isGrave(subject) ? {} : { severity: 'warning' as const }),
      ...(without([subject], unread).length > 0
        ? {
            message: `The ${subject.field ?? 'result'} of ${subjectName(subject)} ${subject.field?.endsWith('s') ? 'are' : 'is'} unknown until apply.`,
            fix: 'Check it after apply with gatehouse drift and gatehouse explain; a plan may also hide it as sensitive.',
          }
        : {
            message: `The new ${subject.field} of ${subjectName(subject)} has a setting or value that this version of Gatehouse does not know.`,
            fix: 'Read what it does in the provider’s documentation, and add an exception once it is checked.',
          }),
    })),
    ...access.unmodeled
      .filter(({ isInSight }) => isInSight)
      .map(({ subject, effect, closes }) => ({
        subject,
        severity: 'warning' as const,
        message: `Not known: ${unmodeledWords(effect)}. Gatehouse does not model it.`,
        fix: `Check it by hand. No one gains by it where ${closes}.`,
      })),
    ...ofTheWhole(unknown, access).map((missing) => ({
      subject: { type: 'service' as const, name: 'the change' },
      message: `The change was not checked in full: ${reasonWords(missing)}. Anyone may gain or lose access.`,
      fix: 'Split the change, or compare its policies, roles and groups by hand.',
    })),
    ...access.changes.flatMap((change) =>
      change.uncertain.map((missing) => ({
        subject: subjectOf(change),
        ...(change.gains === 'unknown' ? {} : { severity: 'warning' as const }),
        message: `Not checked: ${reasonWords(missing)}. It decides whether anyone gains or loses access.`,
        fix: 'Add what is missing to the plan, or check it yourself.',
      })),
    ),
    ...(complete && access.gains === 'unknown'
      ? access.unseen.map((missing) => ({
          subject: { type: 'service' as const, name: 'the service' },
          message: `Not checked: ${reasonWords(missing)}. They may gain access.`,
          fix: 'Add them to the plan, or leave out --complete.',
        }))
      : []),
  ],
};

/** The names of all groups that are in themselves, as one list; none where no group is. */
function circularGroups({ identities = [] }: Graph): string[][] {
  const memberships = new Memberships(identities);
  const circular = identities.filter((identity) =>
    identity.members?.some((member) => member.kind === 'group' && memberships.isWithin(identity, member)),
  );
  const groups = [...new Map(circular.map(({ name }) => [nameKey(name), name])).values()];
  return groups.length === 0 ? [] : [groups];
}

const listed = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(', ');

function without(subjects: readonly Subject[], known: readonly Subject[]): Subject[] {
  const keys = new Set(known.map((subject) => JSON.stringify(subject)));
  return subjects.filter((subject) => !keys.has(JSON.stringify(subject)));
}

/** What is missing beyond the fields and resources that the plan leaves unknown: there is too much to compare. */
function ofTheWhole(unknown: Change['unknown'], { uncertain, unmodeled }: AccessDecision): Reason[] {
  const known = [...uncertainOf(unknown), ...unmodeledReasons({ unmodeled }).inSight];
  const keys = new Set(known.map(reasonKey));
  return uncertain.filter((missing) => !keys.has(reasonKey(missing)));
}

import type { trailOf } from '@gatehouse/core/statement';
import { given, inSections, oneLine, type Style } from '../terminal/style.ts';

const answers = { some: 'yes', none: 'no', unknown: 'not known' } as const;

type ReviewTrail = ReturnType<typeof trailOf>;
type TrailAccess = ReviewTrail['changes'][number]['access'][number];

/** The reviewed changes of a subject's access, the newest first. Statements come from outside, so their text is escaped. */
export function trailText(subject: string, { changes, notCounted, read }: ReviewTrail, style: Style): string {
  const count = `${changes.length} of ${read} signed reviews${changes.length === 1 ? ' is' : ' are'} about it`;
  const left = notCounted.map(({ name, problem }) => `  ${oneLine(name)}: ${oneLine(problem)}`);
  return inSections([
    [
      style.strong(
        `${oneLine(subject)}: ${changes.length} reviewed ${changes.length === 1 ? 'change' : 'changes'} (${count})`,
      ),
    ],
    ...changes.map((change) => trailLines(change, style)),
    left.length === 0 ? [] : ['Not counted:', ...left],
  ]);
}

function trailLines(change: ReviewTrail['changes'][number], style: Style): string[] {
  const { at, access, signed, accepted, exceptions, commit, plan, statements, isChecked, run } = change;
  const { service, namespace } = change;
  const gained = access.flatMap(({ gains, losses, why, words, leftOut }) => [
    ...(areWordsWhole({ gains, losses, why, words })
      ? []
      : [`gains: ${answers[gains]}, loses: ${answers[losses]}`]),
    ...why,
    ...words.map(({ before, after }) => `${before} → ${after}`),
    ...(leftOut === undefined ? [] : [`${leftOut} more`]),
  ]);
  const signers = signed.map(({ by, at, verdict }) => `${by} (${timeOf(at)}, ${verdict})`);
  const how = run === undefined ? 'Token given to' : 'Run begun by';
  const taken = change.takenBy && `${how} ${change.takenBy}${when(change.takenAt)}`;
  return [
    style.strong(timeOf(at)),
    ...given(
      gained,
      `Signed by ${signers.join(', ')}${isChecked ? '' : ': the signature was not checked'}`,
      accepted.map(
        ({ by, task, because, at }) => `Accepted by ${by}${when(at)}, without ${task}: ${because}`,
      ),
      exceptions.map(
        ({ rule, because, owner, until }) => `Exception of ${owner} until ${until}, from ${rule}: ${because}`,
      ),
      `Plan ${plan} for ${service}${namespace ? `, namespace ${namespace}` : ''}`,
      commit !== undefined && `Compared with commit ${commit}`,
      taken,
      change.appliedAt === undefined
        ? 'Not known: whether it was applied'
        : `Applied${when(change.appliedAt)}`,
      run !== undefined && `Run ${run}`,
      `Statement: ${statements.join(', ')}${change.keptAt === undefined ? '' : `, in git since ${timeOf(change.keptAt)}`}`,
    ).map((line) => `  ${oneLine(line)}`),
  ];
}

/** Whether the words say everything. Where something is not known, they may not. */
function areWordsWhole({
  gains,
  losses,
  why,
  words,
}: Pick<TrailAccess, 'gains' | 'losses' | 'why' | 'words'>): boolean {
  return why.length + words.length > 0 && ![gains, losses].includes('unknown');
}

/** A time to the second, in UTC. */
function timeOf(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function when(time: string | undefined): string {
  return time === undefined ? '' : `, ${timeOf(time)}`;
}

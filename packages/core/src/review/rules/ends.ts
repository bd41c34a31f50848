import { type End, endingWords, endWords } from '../../environment/ends.ts';
import type { Graph } from '../../graph/graph.ts';
import { isSame } from '../../graph/resources/field.ts';
import { type Part, partWith, resourceNamed } from '../../graph/resources/resources.ts';
import { subjectKey } from '../../graph/subject.ts';
import { daysUntil } from '../../graph/values/day.ts';
import type { ChangeRule, GraphRule, Objection } from './rule.ts';

/** Days before the last one on which an end is first reported. */
const soonDays = 14;

const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

function objection(end: End, now: bigint): Objection {
  return {
    subject: end.subject,
    message: sentence(endWords(end, now)),
    fix: `Remove ${endingWords(end)} after that day, or set a day later than ${end.until}.`,
    ...(end.isEnforced && daysUntil(end.until, now) < 0 && { severity: 'info' }),
  };
}

/** A rule over each end that is so many days away. */
function endRule(rule: Omit<GraphRule, 'check'>, isMeant: (days: number) => boolean): GraphRule {
  const check: GraphRule['check'] = (_, { ends = [], now = 0n }) =>
    ends.filter(({ until }) => isMeant(daysUntil(until, now))).map((end) => objection(end, now));
  return { ...rule, check };
}

const soonAbout = 'A role, an alias or a policy rule whose last day is at most 14 days away.';
export const endsSoon = endRule(
  { id: 'ends-soon', severity: 'warning', about: soonAbout },
  (days) => days >= 0 && days <= soonDays,
);

const endedAbout = 'A role, an alias or a policy rule whose last day is over.';
/** The rule about exceptions and ends that are over. */
export const ended = endRule({ id: 'ended', severity: 'error', about: endedAbout }, (days) => days < 0);

const keyOf = ({ subject, pattern }: End) => `${subjectKey(subject)} ${pattern}`;
const daysByKey = (ends: readonly End[] = []) => new Map(ends.map((end) => [keyOf(end), end.until]));

function partOf(graph: Graph, { subject }: End): Part | undefined {
  const resource = resourceNamed(subject.type);
  return resource && partWith(graph, resource, subject);
}

export const untilSet: ChangeRule = {
  id: 'until-set',
  severity: 'info',
  about: 'A new or changed role, alias or policy rule that has a last day.',
  check({ before, after }, { ends = [], endsBefore, now }) {
    const known = daysByKey(endsBefore);
    const isChanged = (end: End) =>
      endsBefore === undefined
        ? partOf(after, end) !== undefined && !isSame(partOf(before, end), partOf(after, end))
        : known.get(keyOf(end)) !== end.until;
    return ends
      .filter((end) => daysUntil(end.until, now) > soonDays && isChanged(end))
      .map((end) => objection(end, now));
  },
};

export const untilLater: ChangeRule = {
  id: 'until-later',
  severity: 'warning',
  about: 'A last day that a change postpones or removes.',
  check({ after }, { ends = [], endsBefore = [] }) {
    const known = daysByKey(ends);
    return endsBefore.flatMap((endBefore) => {
      const { subject, pattern = '', until } = endBefore;
      const part = partOf(after, endBefore);
      const isGone = part === undefined || ('text' in part && !part.text.includes(JSON.stringify(pattern)));
      const day = known.get(keyOf(endBefore));
      if (isGone || (day !== undefined && day <= until)) return [];
      const lasts = day === undefined ? `no longer ends on ${until}` : `ends on ${day}, not on ${until}`;
      const message = sentence(`${endingWords(endBefore)} ${lasts}`);
      return { subject, message, fix: 'Check that the access is still needed.' };
    });
  },
};

import { z } from 'zod';
import { missingFromLogKinds, notReplayedWords } from '../../words/missing-from-log-words.ts';
import { reasonKinds } from '../../words/reason-words.ts';
import { replayCauseKinds, replayCauseWords } from '../../words/request-words.ts';
import type { ReplayCount, ReplayGroup, ReplaySummary } from '../replay-summary.ts';
import { count } from './count.ts';

/** Groups that are listed; the rest is counted. */
const most = 20;

/** What becomes of the requests of a log, in a line: `! 3 of 39,434 requests of 90 days would be refused, of 2 people or jobs.` */
export function replayLine(replay: ReplaySummary): string {
  const { refused, unknown, missing, onService } = replay;
  const isOpen = unknown.requests + missing.length > 0;
  const sign = refused.requests > 0 ? '!' : isOpen ? '?' : '✓';
  const verdict =
    refused.requests > 0
      ? `${countWords(refused)} would be refused`
      : isOpen
        ? 'no request is known to be refused'
        : 'no request would be refused';
  const unknownText = unknown.requests > 0 ? `, ${countWords(unknown)} may be` : '';
  const fix = unknown.requests > 0 && !onService ? ' Add --live or --snapshot: most is known then.' : '';
  return `${sign} Replay of ${count(replay.requests, 'request')}${windowWords(replay)}: ${verdict}${unknownText}.${fix}`;
}

/** Who is refused, by what, and what was not replayed: one line each. */
export function replayDetails(replay: ReplaySummary): string[] {
  const { groups, byAnotherRule, already, notHeld, otherNamespaces, missing } = replay;
  const left = groups.slice(most);
  const counted = (number: number, words: string) =>
    number > 0 ? [`${count(number, 'request')} ${words}`] : [];
  return [
    ...groups.slice(0, most).map(groupWords),
    ...(left.length > 0 ? [`… and ${left.length} more, which the JSON report has.`] : []),
    ...counted(byAnotherRule, 'still allowed, by another rule.'),
    ...counted(already, 'refused by what the service has today, without this change as well.'),
    ...counted(otherNamespaces, 'in other namespaces not replayed.'),
    ...counted(notHeld, 'not replayed: too many that differ.'),
    ...(missing.length > 0 ? [`Not replayed: ${missing.map(notReplayedWords).join(', ')}.`] : []),
  ];
}

function groupWords({ answer, by, because, rule, example, ...counted }: ReplayGroup): string {
  const what = answer === 'refused' ? 'refused' : 'unknown';
  const details = [
    ...(rule === undefined ? [] : [`allowed by ${rule} before`]),
    ...(example === undefined
      ? []
      : [`last at ${example.at} by ${example.who}: ${example.operation} ${example.path}`]),
  ];
  return `${countWords(counted)} with ${by} ${what}: ${replayCauseWords(because)}${details.map((detail) => `; ${detail}`).join('')}.`;
}

function countWords({ requests, principals }: ReplayCount): string {
  return `${count(requests, 'request')} of ${count(principals, 'person or job', 'people or jobs')}`;
}

const hour = 3_600_000;

function windowWords({ from: start, to: end }: ReplaySummary): string {
  if (start === undefined || end === undefined) return '';
  const hours = Math.max(1, Math.ceil((Date.parse(end) - Date.parse(start)) / hour));
  return ` in ${hours < 48 ? count(hours, 'hour') : count(Math.ceil(hours / 24), 'day')}`;
}

const number = z.int();
const counted = { requests: number, principals: number.describe('People or jobs that sent them.') };

/** What a replay says, as JSON. */
export const replayReport = z
  .object({
    from: z.string().optional().describe('First entry of the log: RFC 3339.'),
    to: z.string().optional().describe('Last entry of the log.'),
    requests: number.describe('Requests of the log that were allowed.'),
    refused: z.object(counted).describe('Requests that the change makes the service refuse.'),
    unknown: z.object(counted).describe('Requests whose answer depends on what is not known.'),
    byAnotherRule: number.describe('Requests that another rule allows than before.'),
    already: number.describe('Requests that are refused without the change as well.'),
    notHeld: number.describe('Requests not replayed, because too many differ.'),
    otherNamespaces: number.describe('Requests in other namespaces, which are not replayed.'),
    groups: z.array(
      z.object({
        answer: z.enum(['refused', 'unknown']),
        ...counted,
        by: z.string().describe('The role or method that they signed in with.'),
        because: z
          .looseObject({ kind: z.enum(replayCauseKinds), words: z.string() })
          .describe(
            'Why they are refused, or what is missing to tell: its kind, names, and the same in words.',
          ),
        rule: z.string().optional().describe('The pattern that allowed it before, with --show-people.'),
        example: z
          .object({ at: z.string(), who: z.string(), operation: z.string(), path: z.string() })
          .optional()
          .describe('The last of them, with --show-people.'),
      }),
    ),
    missing: z
      .array(z.looseObject({ kind: z.enum([...missingFromLogKinds, ...reasonKinds]), words: z.string() }))
      .describe('What of the change was not replayed.'),
    onService: z.boolean().describe('What the service has was known.'),
  })
  .describe('What becomes of the requests of audit logs, where --replay names some.');

/** A replay as JSON. */
export function replayAsJson({ groups, missing, ...replay }: ReplaySummary): z.output<typeof replayReport> {
  return {
    ...replay,
    groups: groups.map(({ because, ...group }) => ({
      ...group,
      because: { ...because, words: replayCauseWords(because) },
    })),
    missing: missing.map((reason) => ({ ...reason, words: notReplayedWords(reason) })),
  };
}

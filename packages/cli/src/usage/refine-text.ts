import { count } from '@gatehouse/core/review';
import { keptReasonWords, refineRefusalWords } from '@gatehouse/core/words';
import { given, inSections, printable, type Style } from '../terminal/style.ts';
import type { RefineReport } from './refine.ts';

/** Smaller policies as diffs, with what is proven of them, for people. */
export function refineText(report: RefineReport, style: Style): string {
  const { policies, window, unread, missing, source } = report;
  const { from, to, gaps, backwards } = window;
  const [gap] = gaps;
  const notes = given(
    gap && `the logs have no entries from ${time(gap.from)} to ${time(gap.to)}`,
    backwards > 0 && `${count(backwards, 'entry', 'entries')} out of order in the logs`,
    unread > 0 && `what ${count(unread, 'line')} used that cannot be read`,
    missing,
  );
  const covered =
    from === undefined || to === undefined
      ? 'The logs have no entries.'
      : `Logs from ${time(from)} to ${time(to)} (${source}).`;
  const isAny = policies.some(({ after, before }) => after !== before);
  const blocks = [
    [style.strong(covered)],
    ...policies.map((policy) => policyLines(policy, report.isLogRead, style)),
    given(
      notes.map((text) => `${style.changed('?')} not known: ${printable(text)}`),
      isAny &&
        'Nothing is applied. Capabilities that are used less often than the logs reach back need --floor.',
    ),
  ];
  return inSections(blocks);
}

/** The same as JSON: what is kept, and why, as data and in words. */
export function refineJson({ policies, ...report }: RefineReport): object {
  return {
    ...report,
    policies: policies.map(({ kept, refused, ...policy }) => ({
      ...policy,
      kept: kept.map(({ pattern, why }) => ({
        pattern,
        why: why.map((reason) => ({ ...reason, words: keptReasonWords(reason) })),
      })),
      ...(refused && { refused: { ...refused, words: refineRefusalWords(refused) } }),
    })),
  };
}

function policyLines(policy: RefineReport['policies'][number], isLogRead: boolean, style: Style): string[] {
  const { name, diff, taken, emptied, deleted, kept, refused, proven } = policy;
  const head = `policy ${printable(name)}`;
  if (refused !== undefined)
    return [
      `${style.changed('?')} ${head}: nothing is taken. ${printable(sentence(refineRefusalWords(refused)))}`,
    ];
  const whys = kept.map(({ pattern, why }) =>
    style.faint(printable(`  ${pattern} stays: ${why.map(keptReasonWords).join('; ')}`)),
  );
  if (taken.length === 0) return [`${head}: no request of the logs shows that it could be smaller.`, ...whys];
  const capabilities = taken.reduce((sum, rule) => sum + rule.capabilities.length, 0);
  const parts = given(
    count(capabilities, 'capability', 'capabilities'),
    deleted.length > 0 && count(deleted.length, 'rule'),
  );
  const left = emptied.filter((pattern) => !kept.some((rule) => rule.pattern === pattern));
  const { over, requests, unknown } = proven;
  const checked = given(
    count(over.roles, 'role'),
    count(over.groups, 'group'),
    over.otherPrincipals > 0 &&
      count(over.otherPrincipals, 'other sign-in or token', 'other sign-ins and tokens'),
  );
  const sent = `${count(requests, 'request')} sent again`;
  const gained = `No one gains access (${checked.join(', ')} checked).`;
  return given(
    `${style.removed('-')} ${head}: ${parts.join(' and ')} less.`,
    diff
      .trimEnd()
      .split('\n')
      .map((line) => diffLine(printable(line), style)),
    isLogRead
      ? `${style.added('✓')} No request is lost (${sent}). ${gained}`
      : `${style.changed('?')} No request that was read is lost (${sent}); of the others that is not known. ${gained}`,
    unknown > 0 &&
      `  ${count(unknown, 'request')} cannot be answered from the logs; the rules that they may use stay.`,
    emptied.length > 0 &&
      `  Empty now: ${count(emptied.length, 'rule')}, so that no broader rule decides there.`,
    left.length > 0 &&
      !proven.isWhole &&
      `  To delete ${count(left.length, 'rule')}, add --live or --snapshot.`,
    whys,
  );
}

function diffLine(line: string, style: Style): string {
  if (line.startsWith('+')) return `    ${style.added(line)}`;
  return `    ${line.startsWith('-') ? style.removed(line) : style.faint(line)}`;
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const time = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

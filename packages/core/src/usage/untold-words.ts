import type { FoldedLog } from './folded-log.ts';

interface OriginCounts {
  known: number;
  unknown: number;
}

/**
 * What a log does not tell, in words.
 *
 * @param origins requests whose sign-in is known, and others
 * @param elsewhere how many roles of sign-ins are not declared
 */
export function untoldWords(log: FoldedLog, origins: OriginCounts, elsewhere: number): string[] {
  const {
    unread,
    damaged,
    repaired,
    unanswered,
    unasked,
    repeated,
    gaps,
    backwards,
    otherNamespaces,
    notHeld,
    refusedSignIns,
    withoutToken,
  } = log;
  const countText = (count: number, one: string, several: string) =>
    count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${several}`];
  const signIns = Object.values(refusedSignIns).reduce((sum, { count }) => sum + count, 0);
  return [
    ...countText(unread.cut, 'line is damaged', 'lines are damaged: cut, or mixed with others'),
    ...countText(
      repaired,
      'of them is there whole on another line',
      'of them are there whole on another line',
    ),
    ...countText(unanswered, 'request has no response', 'requests have no responses'),
    ...countText(
      damaged.filter(({ method }) => method !== undefined).length,
      'of them is of a sign-in: what it gave is not known',
      'of them are of sign-ins: what they gave is not known',
    ),
    // Some logs have responses alone.
    ...(unread.request === 0
      ? []
      : countText(unasked, 'response has no request', 'responses have no requests')),
    ...countText(repeated, 'request is there twice', 'requests are there twice and count once'),
    ...countText(unread['not-json'], 'line is not JSON', 'lines are not JSON'),
    ...countText(
      unread['other-format'],
      'line is no entry of an audit log',
      'lines are no entries of an audit log',
    ),
    ...countText(gaps.length, 'gap of more than an hour', 'gaps of more than an hour: files may be missing'),
    ...countText(backwards, 'entry is out of order', 'entries are out of order, by more than a minute'),
    ...countText(otherNamespaces, 'request in another namespace', 'requests in other namespaces'),
    ...(origins.unknown === 0
      ? []
      : [
          `the sign-in of ${countText(origins.unknown, 'request', 'requests')[0]} (${shareOf(origins)}): its token is older than the logs`,
        ]),
    ...countText(notHeld, 'request is not counted', 'requests are not counted: too many differ'),
    ...countText(withoutToken, 'request without a valid token', 'requests without a valid token'),
    ...countText(signIns, 'refused sign-in, without its role', 'refused sign-ins, without their roles'),
    ...countText(elsewhere, 'role is not declared here', 'roles are not declared here (try --live)'),
  ];
}

/** Entries whose times cannot be right. */
export function clockWords({ jumped, to }: FoldedLog, now: bigint): string[] {
  const isAhead = to !== undefined && BigInt(to) * 1_000_000n > now + anHour;
  return [
    ...(jumped === 0
      ? []
      : [
          jumped === 1
            ? 'the clock jumped at 1 entry, whose time does not count'
            : `the clock jumped at ${jumped} entries, whose times do not count`,
        ]),
    ...(isAhead ? ['the log ends in the future: its clock is ahead'] : []),
  ];
}
const anHour = 3_600_000_000_000n;

/** `0.4 %` */
function shareOf({ known, unknown }: OriginCounts): string {
  const percent = (100 * unknown) / (known + unknown);
  return percent < 0.1 ? 'less than 0.1 %' : `${percent.toFixed(1)} %`;
}

import type { FoldedLog } from './folded-log.ts';
import { countedMissing, type MissingFromLog } from './missing-from-log.ts';

interface OriginCounts {
  known: number;
  unknown: number;
}

/**
 * What a log does not say of use.
 *
 * @param origins requests whose sign-in is known, and others
 * @param undeclared how many roles of sign-ins are not declared
 */
export function missingFromUse(log: FoldedLog, origins: OriginCounts, undeclared: number): MissingFromLog[] {
  const { unread, damaged } = log;
  const signIns = Object.values(log.refusedSignIns).reduce((sum, { count }) => sum + count, 0);
  const damagedSignIns = damaged.filter(({ method }) => method !== undefined).length;
  return [
    ...countedMissing('cut-lines', unread.cut),
    ...countedMissing('repaired-lines', log.repaired),
    ...countedMissing('without-response', log.unanswered),
    ...countedMissing('sign-ins-damaged', damagedSignIns),
    // Some logs have responses alone.
    ...countedMissing('without-request', unread.request === 0 ? 0 : log.unasked),
    ...countedMissing('twice', log.repeated),
    ...countedMissing('not-json', unread['not-json']),
    ...countedMissing('other-format', unread['other-format']),
    ...countedMissing('gaps', log.gaps.length),
    ...countedMissing('out-of-order', log.backwards),
    ...countedMissing('other-namespaces', log.otherNamespaces),
    ...missingOrigins(origins),
    ...countedMissing('not-counted', log.notHeld),
    ...countedMissing('without-token', log.withoutToken),
    ...countedMissing('refused-sign-ins', signIns),
    ...countedMissing('undeclared-roles', undeclared),
  ];
}

function missingOrigins({ known, unknown }: OriginCounts): MissingFromLog[] {
  return unknown === 0 ? [] : [{ kind: 'sign-ins-of-requests', count: unknown, of: known + unknown }];
}

/** Entries whose times cannot be right. */
export function missingTimes({ jumped, to }: FoldedLog, now: bigint): MissingFromLog[] {
  const isAhead = to !== undefined && BigInt(to) * 1_000_000n > now + anHour;
  return [...countedMissing('jumped-clock', jumped), ...(isAhead ? [{ kind: 'future-end' } as const] : [])];
}
const anHour = 3_600_000_000_000n;

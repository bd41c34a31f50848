import { createHash } from 'node:crypto';

/** Whether a service holds what its stack declares. `failed`: that is not known. */
export type WatchOutcome = 'ok' | 'drift' | 'failed';

/** What one reading of a stack's service found. */
export interface Reading {
  outcome: WatchOutcome;
  /** Counts or a code of an error: no name and no value, as it leaves by notices. */
  summary: string;
  /** Why it failed, for the page. */
  problem?: string;
  /** A text each, as `gatehouse drift` shows it. */
  findings: readonly string[];
  /** Those findings that say what could not be read, or that nothing could. */
  unread: readonly string[] | 'all';
  /** The commit that it was compared with, or why there is none. */
  comparedWith: string;
}

export interface WatchedFinding {
  text: string;
  /** The first of the readings in a row that found it, in milliseconds since 1970. */
  since: number;
  /** The last reading did not find it, and did not see everything that an earlier one saw: it may still be there. */
  isHidden?: true;
}

/** What is known of a stack. Times are milliseconds since 1970. */
export interface WatchedState {
  outcome?: WatchOutcome;
  summary?: string;
  problem?: string;
  comparedWith?: string;
  /** The first of the readings in a row with this outcome. */
  sinceAt?: number;
  readAt?: number;
  /** The last reading that did not fail. */
  seenAt?: number;
  driftAt?: number;
  /** Readings in a row that failed. */
  failures: number;
  /** Whether the last notice was of drift or a failure. */
  isNotified: boolean;
  notices: number;
  findings: WatchedFinding[];
}

export interface WatchedChange {
  changedAt: number;
  outcome: WatchOutcome;
  summary: string;
  comparedWith: string;
  /** Findings that were not there before, and those that no longer are. */
  appeared: string[];
  gone: string[];
}

/** What people are told: by each notice the whole state. */
export type Notice = Pick<WatchedChange, 'outcome' | 'summary'> & { since: number };

/** Failures in a row until people are told: one alone may be a service that restarts. */
const failuresTold = 2;
/** Characters of a finding that are kept; findings of a change, and characters of each. */
const mostCharacters = 4000;
const mostInChange = 20;
const mostCharactersInChange = 500;

/**
 * What becomes of a stack by a reading.
 *
 * A finding is told once, when it appears. It goes by a reading that saw at least what the one saw that found it. A failure is told
 * with the second in a row. Once nothing is left, that is told, too.
 */
export function afterReading(
  before: WatchedState,
  reading: Reading,
  at: number,
): { after: WatchedState; change?: WatchedChange; notice?: Notice } {
  const { outcome, summary, problem, comparedWith } = reading;
  const found = new Set(reading.findings.map((text) => cut(text)));
  const unread = reading.unread === 'all' ? undefined : reading.unread.map((text) => cut(text));
  const seen = new Set(before.findings.flatMap(({ text, isHidden }) => (isHidden ? [] : text)));
  /** As blind as the reading before, at most. */
  const seesAsMuch = unread?.every((text) => seen.has(text)) === true;
  const isGone = ({ text, isHidden }: WatchedFinding) =>
    !found.has(text) && (isHidden ? unread?.length === 0 : seesAsMuch);
  const known = new Set(before.findings.map(({ text }) => text));
  const appeared = [...found].filter((text) => !known.has(text));
  const gone = before.findings.filter(isGone).map(({ text }) => text);
  const isSame = outcome === before.outcome;
  const failures = outcome === 'failed' ? before.failures + 1 : 0;
  const isTold =
    outcome === 'failed'
      ? failures === failuresTold
      : outcome === 'drift'
        ? appeared.length > 0 || before.failures >= failuresTold
        : before.isNotified;
  const after: WatchedState = {
    outcome,
    summary,
    problem,
    comparedWith,
    failures,
    readAt: at,
    sinceAt: isSame ? before.sinceAt : at,
    seenAt: outcome === 'failed' ? before.seenAt : at,
    driftAt: outcome === 'drift' ? at : before.driftAt,
    isNotified: isTold ? outcome !== 'ok' : before.isNotified,
    notices: before.notices + (isTold ? 1 : 0),
    findings: [
      ...before.findings
        .filter((one) => !isGone(one))
        .map(({ text, since, isHidden }) => ({
          text,
          since,
          ...(!found.has(text) && (isHidden || unread !== undefined) && { isHidden: true as const }),
        })),
      ...appeared.map((text) => ({ text, since: at })),
    ],
  };
  const isChange = !isSame || appeared.length + gone.length > 0;
  const isMore = isSame && outcome === 'drift' && appeared.length > 0;
  return {
    after,
    ...(isChange && {
      change: { changedAt: at, outcome, summary, comparedWith, appeared: some(appeared), gone: some(gone) },
    }),
    ...(isTold && {
      notice: {
        outcome,
        summary: isMore ? `${appeared.length} new; ${summary}` : summary,
        since: after.sinceAt ?? at,
      },
    }),
  };
}

/** A long text is still another one if it differs at its end. */
function cut(text: string, most = mostCharacters): string {
  if (text.length <= most) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `${text.slice(0, most)}\n… cut (${text.length} characters, SHA-256 ${digest})`;
}

function some(texts: string[]): string[] {
  const left = texts.length - mostInChange;
  const first = texts.slice(0, mostInChange).map((text) => cut(text, mostCharactersInChange));
  return left <= 0 ? first : [...first, `… and ${left} more`];
}

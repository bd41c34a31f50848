import { createHash } from 'node:crypto';
import type { ListedRun, Stored } from '@gatehouse/core/run-task';

/** Whether a service holds what its stack declares; `failed` if that is not known. */
export type WatchOutcome = 'ok' | 'drift' | 'failed';

/** Who gains by what differs. */
export interface GainedByDrift extends Required<Pick<Stored<ListedRun>, 'gains' | 'life'>> {
  /** What was decided in a sentence, then who gains what, or what is missing to judge it. */
  gained: readonly string[];
}

/** The result of comparing a stack with its service once. */
export interface WatchReading {
  outcome: WatchOutcome;
  /** Counts or a code of an error: no name and no value, as it leaves by notices. */
  summary: string;
  /** Why the reading failed, for the page. */
  problem?: string;
  /** Texts, as `gatehouse drift` shows them, worst first. */
  findings: readonly string[];
  /** Undefined where no difference bears on access. */
  access?: GainedByDrift;
  /** The findings about parts that could not be read; `all` if nothing could be read. */
  unread: readonly string[] | 'all';
  /** The commit that the service was compared with, or why there is none. */
  comparedWith: string;
}

export interface WatchedFinding {
  text: string;
  /** The first of the readings in a row that found it, in milliseconds since 1970. */
  since: number;
  /** The last reading did not find it, but saw less than an earlier reading: it may still be there. */
  isHidden?: true;
}

/** The watch's knowledge of a stack. Times are milliseconds since 1970. */
export interface WatchedState {
  outcome?: WatchOutcome;
  summary?: string;
  problem?: string;
  comparedWith?: string;
  /** Of the last reading that did not fail. */
  access?: GainedByDrift;
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
  /** In the order of the last reading that did not fail, then those that may be hidden. */
  findings: WatchedFinding[];
}

export interface WatchedChange {
  changedAt: number;
  outcome: WatchOutcome;
  summary: string;
  comparedWith: string;
  /** New findings, and findings that are gone. */
  appeared: string[];
  gone: string[];
}

/** A notice for people. Each notice has the whole state. */
export type Notice = Pick<WatchedChange, 'outcome' | 'summary'> & { since: number };

/** Failures in a row until a notice: a single failure may be a service that restarts. */
const failuresUntilNotice = 2;
/** Characters of a finding that are kept. */
const mostCharacters = 4000;
/** Findings of a change that are kept, and characters of each. */
const mostInChange = 20;
const mostCharactersInChange = 500;

/**
 * The state of a stack after a reading.
 *
 * A finding causes one notice, when it appears. It is gone once a reading does not find it, and saw at least as much as the
 * reading that found it. A failure causes a notice if it is the second in a row. A notice also says when nothing is left.
 */
export function afterReading(
  before: WatchedState,
  reading: WatchReading,
  at: number,
): { after: WatchedState; change?: WatchedChange; notice?: Notice } {
  const { outcome, summary, problem, comparedWith } = reading;
  const { findings, appeared, gone } = compareFindings(before.findings, reading, at);
  const isSame = outcome === before.outcome;
  const failures = outcome === 'failed' ? before.failures + 1 : 0;
  const isNotice = needsNotice(before, outcome, { failures, hasAppeared: appeared.length > 0 });
  const after: WatchedState = {
    outcome,
    summary,
    problem,
    comparedWith,
    access: outcome === 'failed' ? before.access : reading.access,
    failures,
    readAt: at,
    sinceAt: isSame ? before.sinceAt : at,
    seenAt: outcome === 'failed' ? before.seenAt : at,
    driftAt: outcome === 'drift' ? at : before.driftAt,
    isNotified: isNotice ? outcome !== 'ok' : before.isNotified,
    notices: before.notices + (isNotice ? 1 : 0),
    findings,
  };
  const isChange = !isSame || appeared.length + gone.length > 0;
  const isMoreDrift = isSame && outcome === 'drift' && appeared.length > 0;
  return {
    after,
    ...(isChange && {
      change: {
        changedAt: at,
        outcome,
        summary,
        comparedWith,
        appeared: textsOfChange(appeared),
        gone: textsOfChange(gone),
      },
    }),
    ...(isNotice && {
      notice: {
        outcome,
        summary: isMoreDrift ? `${appeared.length} new; ${summary}` : summary,
        since: after.sinceAt ?? at,
      },
    }),
  };
}

/** The findings after a reading, with the texts of those that are new and those that are gone. */
function compareFindings(
  before: readonly WatchedFinding[],
  reading: WatchReading,
  at: number,
): { findings: WatchedFinding[]; appeared: string[]; gone: string[] } {
  const current = new Set(reading.findings.map((text) => cut(text)));
  const unread = reading.unread === 'all' ? undefined : reading.unread.map((text) => cut(text));
  const seenBefore = new Set(before.flatMap(({ text, isHidden }) => (isHidden ? [] : text)));
  // A reading saw as much as the one before it if each part that it could not read was unread before, too.
  const seesAsMuch = unread?.every((text) => seenBefore.has(text)) === true;
  const isGone = ({ text, isHidden }: WatchedFinding) =>
    !current.has(text) && (isHidden ? unread?.length === 0 : seesAsMuch);
  const sinceOf = new Map(before.map(({ text, since }) => [text, since]));
  const appeared = [...current].filter((text) => !sinceOf.has(text));
  const unseen = before
    .filter((finding) => !current.has(finding.text) && !isGone(finding))
    .map(({ text, since, isHidden }) => ({
      text,
      since,
      ...((isHidden || unread !== undefined) && { isHidden: true as const }),
    }));
  return {
    findings: [...[...current].map((text) => ({ text, since: sinceOf.get(text) ?? at })), ...unseen],
    appeared,
    gone: before.filter(isGone).map(({ text }) => text),
  };
}

/** Whether people get a notice of a reading with this outcome. */
function needsNotice(
  before: WatchedState,
  outcome: WatchOutcome,
  { failures, hasAppeared }: { failures: number; hasAppeared: boolean },
): boolean {
  switch (outcome) {
    case 'failed':
      return failures === failuresUntilNotice;
    case 'drift':
      return hasAppeared || before.failures >= failuresUntilNotice;
    case 'ok':
      return before.isNotified;
  }
}

/** Cuts a long text. Its digest keeps texts apart that differ only in the part cut off. */
function cut(text: string, most = mostCharacters): string {
  if (text.length <= most) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `${text.slice(0, most)}\n… cut (${text.length} characters, SHA-256 ${digest})`;
}

/** Texts for a change: not too many, and none too long. */
function textsOfChange(texts: string[]): string[] {
  const left = texts.length - mostInChange;
  const first = texts.slice(0, mostInChange).map((text) => cut(text, mostCharactersInChange));
  return left <= 0 ? first : [...first, `… and ${left} more`];
}

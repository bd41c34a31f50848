import type { MissingFromLog } from './missing-from-log.ts';
import type { UsageReason } from './usage-reason.ts';

/** Something that can be used. */
export interface Used {
  kind: 'role' | 'group' | 'policy' | 'rule';
  /** `auth/staff/reader`; of a rule, its policy. */
  name: string;
  /** Of a rule. */
  pattern?: string;
  /** Sign-ins by a role; requests and sign-ins with a group; else requests that it allowed. */
  count: number;
  /** How many principals. */
  people: number;
  /** Milliseconds since 1970; absent where it was not used. */
  last?: number;
  /** When it was last written, by the log; absent where that was before the log begins, or cannot be told. */
  written?: number;
  /** `maybe`: something else may be what was used. */
  used: 'yes' | 'no' | 'maybe';
}

/** Requests that policies refused, of principals of one role. */
export interface RefusedRequests {
  /** `role staff/reader`; empty where the log does not tell. */
  by: string;
  operation: string;
  path: string;
  count: number;
  people: number;
  last: number;
  /** Id of the last one, for `gatehouse explain --request`. */
  id: string;
}

/** What was used, and refused, in the time that logs cover. */
export interface Usage {
  from?: number;
  to?: number;
  used: Used[];
  refused: RefusedRequests[];
  refusedSignIns: { method: string; count: number; last: number }[];
  /** How many recorded answers are those of the policies as they are, how many are not, and how many cannot be compared. */
  answers: { same: number; other: number; unknown: { missing: UsageReason; count: number }[] };
  /** Requests whose sign-in the log or the service tells, and others: by whom a grant was used is not known of those. */
  origins: { known: number; unknown: number };
  /** What the log does not say. */
  untold: MissingFromLog[];
}

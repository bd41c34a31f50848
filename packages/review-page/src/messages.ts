import type { ReportFinding, ReportRow, WhoCanWords } from '@gatehouse/core/review';

/** What the page asks of its worker. */
export type WorkerRequest =
  /** `key` is that of the snapshots; empty where none is given. */
  | { kind: 'review'; files: readonly File[]; key: string }
  | { kind: 'who-can'; capability: string; path: string };

/** What a file is. */
export interface KnownFile {
  name: string;
  is: 'plan' | 'snapshot' | 'policy';
  /** Of what: `Terraform plan`, `Snapshot of https://secrets.example.com, 2026-11-01T02:00:00Z`. */
  about: string;
  /** A snapshot in which names of people are hashed. Defaults to false. */
  isHashed?: boolean;
}

/** Why something is not answered, and what to do. */
export interface PageProblem {
  /** The file that it is about. Absent where it is about several, or about a question. */
  name?: string;
  text: string;
  fix: string;
}

/** A review as the page shows it: the parts of the command's report. */
export interface ShownReview {
  headline: string;
  /** The first rows, worst first. The others follow, in `rows` of the worker. */
  rows: PageRow[];
  findings: ShownFinding[];
  /** Findings that say again what the rows do. */
  repeated: ShownFinding[];
  /** Findings that were there before the change. */
  older: ShownFinding[];
  remarks: string[];
  /** What `gatehouse review --format markdown` prints. */
  markdown: string;
}

/** A row of the report, with the places where all is the same in words. */
export interface PageRow extends Omit<ReportRow, 'same'> {
  same?: string;
}

/** A finding with its title. */
export interface ShownFinding extends Pick<ReportFinding, 'severity' | 'message' | 'fix' | 'rule'> {
  title: string;
}

/** What the worker answers. */
export type WorkerAnswer =
  | { kind: 'review'; files: KnownFile[]; review?: ShownReview }
  | { kind: 'who-can'; words: WhoCanWords }
  | { kind: 'problem'; to: WorkerRequest['kind']; problem: PageProblem };

/** What it sends after a review: more of its rows. */
export interface MoreRows {
  kind: 'rows';
  rows: PageRow[];
}

import './no-eval.ts';
import {
  findingTitle,
  foldFindings,
  headline,
  isShownIn,
  leavesElsewhereOpen,
  markdownReport,
  type ReportFinding,
  type ReportRow,
  type Review,
  remarks,
  reportRows,
  sameWords,
  whoCanWords,
} from '@gatehouse/core/review';
import { readAskedPath } from '@gatehouse/core/values';
import { type Dropped, explained, NotAnswered, readFiles, reviewOf, whoCanOf } from './dropped.ts';
import type {
  MoreRows,
  PageRow,
  ShownFinding,
  ShownReview,
  WorkerAnswer,
  WorkerRequest,
} from './messages.ts';

let dropped: Dropped = { snapshots: [], policies: [] };

/** Rows of a message: the page reads them without a halt that people notice. */
const mostAtOnce = 500;

addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  void answer(data).then(send);
});

/** Sends an answer; of a review with many rows the first ones, and then the others. */
function send(answered: WorkerAnswer): void {
  const rows = answered.kind === 'review' ? (answered.review?.rows ?? []) : [];
  const followingRows = rows.splice(mostAtOnce);
  postMessage(answered);
  for (let at = 0; at < followingRows.length; at += mostAtOnce) {
    const message: MoreRows = { kind: 'rows', rows: followingRows.slice(at, at + mostAtOnce) };
    postMessage(message);
  }
}

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  try {
    return request.kind === 'review' ? await answerReview(request) : await answerWhoCan(request);
  } catch (error) {
    const problem =
      error instanceof NotAnswered
        ? error.problem
        : {
            text: 'This page failed. Nothing was answered.',
            fix: `Review it with gatehouse review. ${error}`,
          };
    return { kind: 'problem', to: request.kind, problem };
  }
}

async function answerReview({ files, key }: { files: readonly File[]; key: string }): Promise<WorkerAnswer> {
  const read = await readFiles(files, key);
  dropped = read.dropped;
  const reviewed = await explained(undefined, () => reviewOf(dropped, Date.now()));
  return { kind: 'review', files: read.known, ...(reviewed && { review: shown(reviewed) }) };
}

async function answerWhoCan({
  capability,
  path: text,
}: {
  capability: string;
  path: string;
}): Promise<WorkerAnswer> {
  const { path, problem } = readAskedPath(text);
  if (problem !== undefined) throw new NotAnswered({ text: `The path ${problem}.`, fix: '' });
  const report = await explained(undefined, () => whoCanOf(dropped, { capability, path }, Date.now()));
  return { kind: 'who-can', words: whoCanWords(report, Infinity) };
}

function shown(reviewed: Review): ShownReview {
  const { rows, findings, repeated } = reportRows(reviewed);
  const shownFinding = (finding: ReportFinding): ShownFinding => {
    const { severity, message, fix, rule } = finding;
    return { severity, message, fix, rule, title: findingTitle(finding, reviewed.tool, Infinity) };
  };
  return {
    headline: headline(reviewed),
    rows: rows.map(shownRow),
    findings: findings.map(shownFinding),
    repeated: repeated.map(shownFinding),
    older: foldFindings(reviewed.older).map(shownFinding),
    remarks: [...remarks(reviewed), ...closing(reviewed)],
    markdown: markdownReport(reviewed),
  };
}

function shownRow({ same, ...row }: ReportRow): PageRow {
  // A row that says what is not known needs only the fix of its finding.
  const errors = row.errors.map((error) => (isShownIn(row, error) ? { ...error, message: '' } : error));
  return { ...row, errors, ...(same && { same: sameWords(same, Infinity) }) };
}

/** What to add to the page where something elsewhere was not checked. */
function closing(reviewed: Review): string[] {
  const isOpen = leavesElsewhereOpen(reviewed) && dropped.snapshots.length === 0;
  return isOpen ? ['To check what is elsewhere, add a snapshot of the service.'] : [];
}

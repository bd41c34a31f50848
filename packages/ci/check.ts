import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { inertBlock, inertText } from '@gatehouse/core/review';
import type { RunGatehouse } from './command.ts';
import { type FetchSnapshot, keyOptions, reviewWithSnapshot, snapshotName } from './nightly-snapshot.ts';
import { filesIn, signingOptions, statementFile } from './signed-review.ts';

const checks = ['review', 'drift', 'snapshot', 'verify-review'] as const;

/** The command line of a pipeline. */
export interface PipelineCheck {
  check: (typeof checks)[number];
  /** The stack; undefined where a plan is reviewed without one. */
  stack: string | undefined;
  /** File with a plan. */
  plan: string | undefined;
  /** Revision to compare with if there is no plan: `event` for the one that the host names. */
  since: string | undefined;
  /** Revision from which exceptions and signers are read unless `since` decides: `event` as for `since`. */
  base: string | undefined;
  /** Files with signed reviews, one per line, relative to the project's folder. */
  statements: string;
  /** Audit log that a review replays, relative to the project's folder. */
  replay: string | undefined;
  failOn: string;
  /** Folder of the project, relative to the repository's root. */
  folder: string;
}

/** The result of a check, for people. */
export interface CheckReport {
  /** Exit code. 0: nothing was found. 2: something was found. 1: the check itself failed. */
  code: number;
  markdown: string;
  /** SARIF of a review, with paths relative to the repository's root; undefined without a review. */
  sarif?: Sarif;
  /** The file with the new snapshot. */
  snapshot?: string;
  /** The file with the signed statement of a review, relative to the repository's root. */
  statement?: string;
  /** Whether a plan was reviewed, or why not; for the job's log. */
  answer?: string;
}

/** What the code host provides to a check. */
export interface CheckPlace {
  /** The commit that the change is merged into, as the host's event names it; undefined if it names none. */
  eventBase: () => Promise<string | undefined>;
  fetchSnapshot: FetchSnapshot;
  /** Folder for a job's artifacts. */
  output: string;
  run: RunGatehouse;
}

/** The properties of SARIF that code hosts need. */
export interface Sarif {
  runs: { results: SarifResult[] }[];
}

export interface SarifResult {
  ruleId: string;
  level: 'error' | 'warning' | 'note';
  message: { text: string };
  locations: {
    physicalLocation?: { artifactLocation: { uri: string }; region: { startLine: number } };
  }[];
  partialFingerprints: Record<string, string>;
}

/** Reads the command line. An empty value counts as absent. @throws Error for an unknown check or option */
export function readRequest(argv: string[]): PipelineCheck {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      stack: text,
      plan: text,
      since: text,
      base: text,
      statements: text,
      replay: text,
      'fail-on': text,
      folder: text,
    },
  });
  const [checkName = 'review'] = positionals;
  const check = checks.find((name) => name === checkName);
  if (check === undefined) throw new Error(`Not a check: ${checkName}. It is one of ${checks.join(', ')}.`);
  const options: typeof values = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== ''),
  );
  const { stack, plan, since, base, replay, folder = '.' } = options;
  const { statements = statementFile, 'fail-on': failOn = 'error' } = options;
  return { check, stack, plan, since, base, statements, replay, failOn, folder };
}

/**
 * Reviews a change, looks for drift, makes a snapshot, or verifies that a plan was reviewed. A failed command is reported,
 * not thrown.
 */
export async function runCheck(
  request: PipelineCheck,
  env: NodeJS.ProcessEnv,
  place: CheckPlace,
): Promise<CheckReport> {
  if (request.check === 'drift') return drift(request, env, place);
  if (request.check === 'verify-review') return verify(await withEventBase(request, place), env, place);
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-ci-'));
  try {
    if (request.check === 'snapshot') return await snapshot(request, env, home, place);
    return await review(await withEventBase(request, place), env, home, place);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * Replaces `event` by the commit that the host's event names. A name such as HEAD^1 would mean whatever the job has checked
 * out, which the author of a change can often choose; so only commit ids are accepted.
 *
 * @throws Error if the event names no commit to compare the change with
 */
async function withEventBase(request: PipelineCheck, { eventBase }: CheckPlace): Promise<PipelineCheck> {
  if (![request.since, request.base].includes('event')) return request;
  const commit = await eventBase();
  if (commit !== undefined && !/^[0-9a-f]{40,64}(?:\^1)?$/.test(commit))
    throw new Error(`The event names no commit: ${commit}`);
  if (request.since === 'event' && request.plan === undefined && commit === undefined)
    throw new Error('This event names no commit that the change goes into: give since.');
  const resolved = (revision: string | undefined) => (revision === 'event' ? commit : revision);
  return { ...request, since: resolved(request.since), base: resolved(request.base) };
}

async function review(
  { stack, plan, since, base, replay, failOn, folder }: PipelineCheck,
  env: NodeJS.ProcessEnv,
  home: string,
  { fetchSnapshot, run }: CheckPlace,
): Promise<CheckReport> {
  const sarifFile = join(home, 'review.sarif');
  const signing = await signingOptions(home, env);
  const isCompared = plan === undefined && since !== undefined;
  const args = [
    'review',
    ...(plan === undefined ? [] : [plan]),
    ...(stack === undefined ? [] : ['-s', stack]),
    ...(isCompared ? ['--since', since] : []),
    ...(isCompared || base === undefined ? [] : ['--base', base]),
    ...(replay === undefined ? [] : ['--replay', replay]),
    '--fail-on',
    failOn,
    '--format',
    'markdown',
    '--report',
    `sarif=${sarifFile}`,
    ...signing,
  ];
  // A stack that the review plans itself is judged on what its own token can read.
  const isRead = stack === undefined || (plan === undefined && since === undefined);
  const { code, stdout, stderr, without } = isRead
    ? { ...(await run(args, folder, env)), without: undefined }
    : await reviewWithSnapshot(args, { stack, folder, home }, env, { fetchSnapshot, run });
  if (code !== 0 && code !== 2) return failedReport('Sign-in review: it could not be made', code, stderr);
  const sarif: Sarif = JSON.parse(await readFile(sarifFile, 'utf8'));
  const note =
    without === undefined ? '' : `\nReviewed without a snapshot of the service: ${inertText(without)}\n`;
  return {
    code,
    markdown: `${stdout}${note}`,
    sarif: fromRoot(sarif, folder),
    ...(signing.length > 0 && { statement: posix.join(folder.replaceAll('\\', '/'), statementFile) }),
  };
}

async function verify(
  { stack, plan, base, statements, folder }: PipelineCheck,
  env: NodeJS.ProcessEnv,
  { run }: CheckPlace,
): Promise<CheckReport> {
  if (plan === undefined) throw new Error('verify-review needs a plan: the file that is applied next.');
  const options = [
    ...(stack === undefined ? [] : ['-s', stack]),
    ...(base === undefined ? [] : ['--base', base]),
  ];
  const args = ['verify-review', ...options, '--', plan, ...filesIn(statements)];
  const { code, stdout, stderr } = await run(args, folder, env);
  const answer = `${stdout}${stderr}`.trim();
  if (code !== 0 && code !== 2)
    return { ...failedReport('Signed review: it could not be checked', code, answer), answer };
  const title =
    code === 0 ? 'Signed review: this plan was reviewed' : 'Signed review: none counts for this plan';
  return { code, markdown: `## ${title}\n\n${inertBlock(answer)}\n`, answer };
}

async function snapshot(
  { stack = '', folder }: PipelineCheck,
  env: NodeJS.ProcessEnv,
  home: string,
  { output, run }: CheckPlace,
): Promise<CheckReport> {
  const file = resolve(output, snapshotName(stack));
  const args = ['snapshot', '-s', stack, '-o', file, ...(await keyOptions(home, env))];
  const { code, stdout, stderr } = await run(args, folder, env);
  if (code !== 0) return failedReport('Sign-in snapshot: it could not be made', code, stderr);
  return { code, markdown: `## Sign-in snapshot\n\n${inertBlock(stdout)}\n`, snapshot: file };
}

async function drift(
  { stack, folder }: PipelineCheck,
  env: NodeJS.ProcessEnv,
  { run }: CheckPlace,
): Promise<CheckReport> {
  const args = ['drift', ...(stack === undefined ? [] : ['-s', stack]), '--unmanaged'];
  const { code, stdout, stderr } = await run(args, folder, env);
  if (code !== 0 && code !== 2)
    return failedReport('Sign-in drift: it could not be looked for', code, `${stdout}${stderr}`);
  const title = code === 0 ? 'Sign-in drift: none' : 'Sign-in drift: the service is not as declared';
  return { code, markdown: `## ${title}\n\n${inertBlock(stdout)}\n` };
}

function failedReport(title: string, code: number, text: string): CheckReport {
  return { code, markdown: `## ${title}\n\n${inertBlock(text.slice(0, 20_000))}\n` };
}

function fromRoot(sarif: Sarif, folder: string): Sarif {
  const places = sarif.runs.flatMap(({ results }) => results.flatMap(({ locations }) => locations));
  for (const { physicalLocation } of places) {
    if (physicalLocation === undefined) continue;
    const { artifactLocation } = physicalLocation;
    artifactLocation.uri = posix.join(folder.replaceAll('\\', '/'), artifactLocation.uri);
  }
  return sarif;
}

/**
 * A report that is short enough for a code host: a longer one is cut between two paragraphs.
 *
 * @param longest characters
 * @param whole says in Markdown where the whole report is
 */
export function shortened(markdown: string, longest: number, whole: string): string {
  if (markdown.length <= longest) return markdown;
  const note = `\n\n… shortened: ${whole}\n`;
  const parts = markdown.slice(0, longest - note.length).split('\n\n');
  // A cut inside a folded part would fold the note as well.
  do parts.pop();
  while (parts.length > 0 && count(parts, '<details>') !== count(parts, '</details>'));
  return `${parts.join('\n\n')}${note}`;
}

function count(parts: string[], tag: string): number {
  return parts.join('').split(tag).length;
}

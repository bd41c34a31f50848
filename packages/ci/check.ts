import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { inertBlock, inertText } from '@gatehouse/core/review';
import type { RunGatehouse } from './command.ts';
import { type FetchSnapshot, keyOptions, reviewWithSnapshot, snapshotName } from './nightly-snapshot.ts';
import { filesIn, signingOptions, statementFile } from './signed-review.ts';

const checks = ['review', 'drift', 'snapshot', 'verify-review'] as const;

/** What a pipeline asks for on its command line. */
export interface CheckRequest {
  check: (typeof checks)[number];
  /** The stack; undefined where a plan is reviewed without one. */
  stack: string | undefined;
  /** File with a plan. */
  plan: string | undefined;
  /** Revision to compare with, in the place of a plan: `event` for the one that the host names. */
  since: string | undefined;
  /** Revision from which exceptions and signers count, where no other is compared with: `event` as for `since`. */
  base: string | undefined;
  /** Files with signed reviews, one a line, from the project's folder. */
  statements: string;
  /** File with an audit log, from the project's folder, that is replayed by a review. */
  replay: string | undefined;
  failOn: string;
  /** Folder of the project, from the repository's root. */
  folder: string;
}

/** What was found, for people. */
export interface CheckReport {
  /** 0: nothing. 2: something. 1: it could not be found out. */
  code: number;
  markdown: string;
  /** SARIF of a review, with paths from the repository's root; undefined where there was none. */
  sarif?: Sarif;
  /** The file of a snapshot that was made. */
  snapshot?: string;
  /** The file with the signed statement of a review, from the repository's root. */
  statement?: string;
  /** Whether a plan was reviewed, or why not, for the log of its job. */
  answer?: string;
}

/** What a check has at its host. */
export interface CheckPlace {
  /** The commit that the change goes into, as the host's event names it; undefined where it names none. */
  eventBase: () => Promise<string | undefined>;
  fetchSnapshot: FetchSnapshot;
  /** Folder for what a job keeps. */
  output: string;
  run: RunGatehouse;
}

/** The part of SARIF that is read here. */
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

/** Reads the command line. An empty value counts as none. @throws Error for one that is not right */
export function readRequest(argv: string[]): CheckRequest {
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
  const [asked = 'review'] = positionals;
  const check = checks.find((one) => one === asked);
  if (check === undefined) throw new Error(`Not a check: ${asked}. It is one of ${checks.join(', ')}.`);
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const { stack, plan, since, base, replay, folder = '.' }: typeof values = given;
  const { statements = statementFile, 'fail-on': failOn = 'error' }: typeof values = given;
  return { check, stack, plan, since, base, statements, replay, failOn, folder };
}

/** Reviews, looks for drift, makes a snapshot, or verifies that a plan was reviewed. A check that fails is a report, too. */
export async function runCheck(
  request: CheckRequest,
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
 * A name such as HEAD^1 is what a job has checked out, and so, often, what the author of a change chose: the event names a
 * commit by its id.
 *
 * @throws Error where the change would be compared with a commit that the event does not name
 */
async function withEventBase(request: CheckRequest, { eventBase }: CheckPlace): Promise<CheckRequest> {
  if (![request.since, request.base].includes('event')) return request;
  const found = await eventBase();
  if (found !== undefined && !/^[0-9a-f]{40,64}(?:\^1)?$/.test(found))
    throw new Error(`The event names no commit: ${found}`);
  if (request.since === 'event' && request.plan === undefined && found === undefined)
    throw new Error('This event names no commit that the change goes into: give since.');
  const named = (revision: string | undefined) => (revision === 'event' ? found : revision);
  return { ...request, since: named(request.since), base: named(request.base) };
}

async function review(
  { stack, plan, since, base, replay, failOn, folder }: CheckRequest,
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
  // A stack that is planned is judged on what its token reads.
  const isRead = stack === undefined || (plan === undefined && since === undefined);
  const { code, stdout, stderr, without } = isRead
    ? { ...(await run(args, folder, env)), without: undefined }
    : await reviewWithSnapshot(args, { stack, folder, home }, env, { fetchSnapshot, run });
  if (code !== 0 && code !== 2) return failed('Sign-in review: it could not be made', code, stderr);
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
  { stack, plan, base, statements, folder }: CheckRequest,
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
    return { ...failed('Signed review: it could not be checked', code, answer), answer };
  const title =
    code === 0 ? 'Signed review: this plan was reviewed' : 'Signed review: none counts for this plan';
  return { code, markdown: `## ${title}\n\n${inertBlock(answer)}\n`, answer };
}

async function snapshot(
  { stack = '', folder }: CheckRequest,
  env: NodeJS.ProcessEnv,
  home: string,
  { output, run }: CheckPlace,
): Promise<CheckReport> {
  const file = resolve(output, snapshotName(stack));
  const args = ['snapshot', '-s', stack, '-o', file, ...(await keyOptions(home, env))];
  const { code, stdout, stderr } = await run(args, folder, env);
  if (code !== 0) return failed('Sign-in snapshot: it could not be made', code, stderr);
  return { code, markdown: `## Sign-in snapshot\n\n${inertBlock(stdout)}\n`, snapshot: file };
}

async function drift(
  { stack, folder }: CheckRequest,
  env: NodeJS.ProcessEnv,
  { run }: CheckPlace,
): Promise<CheckReport> {
  const args = ['drift', ...(stack === undefined ? [] : ['-s', stack]), '--unmanaged'];
  const { code, stdout, stderr } = await run(args, folder, env);
  if (code !== 0 && code !== 2)
    return failed('Sign-in drift: it could not be looked for', code, `${stdout}${stderr}`);
  const title = code === 0 ? 'Sign-in drift: none' : 'Sign-in drift: the service is not as declared';
  return { code, markdown: `## ${title}\n\n${inertBlock(stdout)}\n` };
}

function failed(title: string, code: number, text: string): CheckReport {
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
 * A report that a code host takes: cut between two of its parts where it is longer.
 *
 * @param longest characters
 * @param whole where the whole report is, as Markdown
 */
export function shortened(markdown: string, longest: number, whole: string): string {
  if (markdown.length <= longest) return markdown;
  const note = `\n\n… shortened: ${whole}\n`;
  const parts = markdown.slice(0, longest - note.length).split('\n\n');
  // Not inside of something folded, which would fold the note too.
  do parts.pop();
  while (parts.length > 0 && count(parts, '<details>') !== count(parts, '</details>'));
  return `${parts.join('\n\n')}${note}`;
}

function count(parts: string[], tag: string): number {
  return parts.join('').split(tag).length;
}

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Review } from '@gatehouse/core/review';
import { GatehouseError, snapshotAge } from '@gatehouse/core/values';
import { InvalidArgumentError } from 'commander';
import { type OpenedStack, resultsOf } from '../open/stack-outcomes.ts';
import { type AddCommand, type CommandContext, version, withProgress } from '../terminal/command.ts';
import { areSeveral, ofEachStack, refuseForSeveral, tellStacks } from '../terminal/each-stack.ts';
import type { StackForms } from '../terminal/many-stacks-text.ts';
import { writePaged } from '../terminal/pager.ts';
import type { Progress } from '../terminal/progress.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import { ExitCode, widthOf } from '../terminal/terminal.ts';
import { type FileReport, type Format, formats, type ReviewCommandOptions } from './review-options.ts';
import type { ReviewSettings } from './review-settings.ts';
import {
  isOwnPlan,
  openRequest,
  type ReviewCommandRequest,
  reviewSource,
  settingsOf,
} from './review-source.ts';

export const addReview: AddCommand = (program, context) => {
  program
    .add('review', 'show who gains and who loses access through a plan, and what is wrong with it', [
      'gatehouse review -s dev',
      'terraform show -json tfplan | gatehouse review - --format markdown',
      'gatehouse review preview.json -s prod --format sarif --fail-on warning',
      'gatehouse review -s prod --since main --format markdown --report sarif=review.sarif',
      'gatehouse review plan.json -s prod --live --replay audit.log --replay audit.log.1.gz',
      "gatehouse review -s 'prod-*' --since main --format markdown",
      'gatehouse review tfplan -s prod --snapshot prod.snapshot --sign review.key',
    ])
    .argument('[plan]', 'file with a plan as JSON, - for standard input (default: plans the stack)')
    .choice('--format <name>', 'format of the report', formats, 'terminal')
    .choice(
      '--fail-on <severity>',
      'exit with 2 for findings at least this severe',
      ['info', 'warning', 'error'],
      'error',
    )
    .option('--live', 'read the service of the stack, and judge the plan on top of what it has')
    .option('--snapshot <file>', 'judge the change on top of what this snapshot of the service has: no token')
    .option('--between <files...>', 'two snapshots: review what changed on the service between them')
    .option('--key-file <file>', 'the key that the snapshots were written with')
    .option('--digest <digest>', 'the digest of the snapshot, as gatehouse snapshot printed it')
    .option('--max-age <duration>', 'older snapshots count as incomplete', snapshotAge)
    .option('--complete', 'an answer that leaves something open is an error')
    .option('--show-all', 'every row, path and finding, including older ones')
    .option(
      '--since <revision>',
      'compare what the files of the stack declare with a revision of git: no token',
    )
    .option('--report <format=file>', 'also write a report to this file; repeatable', collectReport, [])
    .option('--sign <key-file>', 'sign that this is the change that was reviewed, with this private key')
    .option('--statement <file>', 'with --sign: where the signed statement goes', 'review.sigstore.json')
    .option('--steps <file>', 'with --sign, of a stack: where the reviewed steps go, for the policy pack')
    .withReading()
    .withBase()
    .withReplay()
    .withStack()
    .withEngine()
    .withSeveral()
    .note(
      'Plans: pulumi preview --json --show-sames, gatehouse preview --json, terraform show -json PLAN (tofu the same).\n' +
        'With -s, the rules that the stack turns off are off, and findings name lines of its file.',
    )
    .action((plan: string | undefined, options: ReviewCommandOptions) => run(plan, options, context));
};

/** A review, what it was made of, and where things are declared. */
interface CommandReview extends Pick<ReviewSettings, 'positionOf'> {
  review: Review;
  request: ReviewCommandRequest;
}

/** Reviews the plan, or each stack of the command, and writes what the command puts out. */
async function run(
  plan: string | undefined,
  options: ReviewCommandOptions,
  context: CommandContext,
): Promise<void> {
  refuseForSeveral({ ...options, plan }, singleOptions);
  if (areSeveral(options)) requireFoldable(options);
  refuseConflicts(plan, options);
  const { terminal } = context;
  const review = (opened: OpenedStack | undefined, progress: Progress) =>
    reviewOf(plan, options, context, opened, progress);
  // A plan without a stack needs neither an engine nor a client of the service: they take longer to load than it to review.
  if (!isOwnPlan(plan, options) && options.stack === undefined) {
    return await writeReview(await withProgress(terminal, (progress) => review(undefined, progress)));
  }
  const how = { doing: options.since === undefined ? 'Planning' : 'Comparing', needsToken: true };
  const outcomes = await ofEachStack(options, terminal, how, review).catch((error: unknown) => {
    // Who has no project needs a plan.
    const isNothing =
      plan === undefined && error instanceof GatehouseError && error.code === 'project_missing';
    throw isNothing ? new GatehouseError('project_missing.plan') : error;
  });
  if (areSeveral(options)) {
    const json = formatOf(options) === 'json';
    return await tellStacks(outcomes, await formsOf(options), { ...options, json }, terminal);
  }
  for (const reviewed of resultsOf(outcomes)) await writeReview(reviewed);
}

async function reviewOf(
  plan: string | undefined,
  options: ReviewCommandOptions,
  context: CommandContext,
  opened: OpenedStack | undefined,
  progress: Progress,
): Promise<CommandReview> {
  const request = await openRequest(plan, options, context.terminal, opened);
  const { options: judging, positionOf } = await settingsOf(request, progress);
  progress.clear();
  return { review: await reviewSource(request, judging, context, progress), positionOf, request };
}

/** Writes the reports that `--report` names to their files, then that of the command to standard output, and signs the review. */
async function writeReview(reviewed: CommandReview): Promise<void> {
  const { review, request } = reviewed;
  const { options, terminal } = request;
  const { stdout } = terminal;
  const format = formatOf(options);
  const layout = { style: styleFor(stdout, terminal.env), columns: widthOf(stdout, terminal.env) };
  const { hasFindingsAt } = await import('@gatehouse/core/review');
  // Before it is written: a reader may stop early.
  terminal.exitCode = hasFindingsAt(review, options.failOn) ? ExitCode.no : ExitCode.ok;
  for (const { format, file } of options.report) {
    await writeFile(resolve(terminal.cwd, file), await rendered(format, reviewed, layout));
  }
  const text = await rendered(format, reviewed, layout);
  if (format === 'terminal') await writePaged(terminal, text);
  else stdout.write(text);
  await signReview(review, request);
}

function formatOf({ json, format }: ReviewCommandOptions): Format {
  return json ? 'json' : format;
}

async function signReview(
  review: Review,
  { plan, options, terminal, signing }: ReviewCommandRequest,
): Promise<void> {
  const { snapshot, live = false } = options;
  await signing?.sign(review, {
    snapshot: snapshot && resolve(terminal.cwd, snapshot),
    isLive: isOwnPlan(plan, options) || live,
  });
}

/** @throws GatehouseError `option_conflict` */
function refuseConflicts(plan: string | undefined, options: ReviewCommandOptions): void {
  const { stack, since, live, snapshot, replay, between, sign } = options;
  const isOwn = plan === undefined;
  const isBetweenWrong =
    between !== undefined && (between.length !== 2 || !!replay || !isOwn || since !== undefined);
  const conflicts = [
    [!isOwn && since !== undefined, 'option_conflict.since'],
    [live && stack === undefined && !isOwn, 'option_conflict.live'],
    [snapshot !== undefined && ((isOwn && since === undefined) || live), 'option_conflict.snapshot'],
    [plan === '-' && replay?.includes('-'), 'option_conflict.standard_input'],
    [isBetweenWrong, 'option_conflict.between'],
    [sign !== undefined && (since ?? between) !== undefined, 'option_conflict.sign'],
  ] as const;
  for (const [isGiven, text] of conflicts) if (isGiven) throw new GatehouseError(text);
}

/** Options that are about one stack, or about a plan in a file. */
const singleOptions = [
  '--plan',
  '--between',
  '--snapshot',
  '--key-file',
  '--digest',
  '--replay',
  '--show-people',
  '--hash-with',
  '--report',
  '--sign',
];

/** Of several stacks, equal reports are written once. @throws GatehouseError `option_conflict` for a format that has no place for that */
function requireFoldable(options: ReviewCommandOptions): void {
  const format = formatOf(options);
  if (format !== 'sarif') return;
  throw new GatehouseError('option_conflict.several_format', {
    given: format,
    allowed: 'terminal, markdown, json',
  });
}

async function formsOf(options: ReviewCommandOptions): Promise<StackForms<CommandReview>> {
  const [{ hasFindingsAt, jsonReport, markdownReport }, { reviewText }] = await Promise.all([
    import('@gatehouse/core/review'),
    import('./review-text.ts'),
  ]);
  const { failOn, showAll } = options;
  const json = ({ review }: CommandReview) => jsonReport(review, failOn);
  return {
    json,
    content: (reviewed) => {
      const { older, notes, passedOver } = reviewed.review;
      return [json(reviewed), older, notes, passedOver];
    },
    text: ({ review }, heading = '', style, columns) =>
      formatOf(options) === 'markdown'
        ? markdownReport(review, heading)
        : `${style.strong(heading)}\n${reviewText(review, style, { columns, all: showAll })}`,
    exitCode: ({ review }) => (hasFindingsAt(review, failOn) ? ExitCode.no : ExitCode.ok),
  };
}

function collectReport(argument: string, reports: FileReport[]): FileReport[] {
  const [, name, file = ''] = /^([\w-]+)=(.+)$/s.exec(argument) ?? [];
  const format = formats.find((candidate) => candidate === name);
  if (format !== undefined) return [...reports, { format, file }];
  throw new InvalidArgumentError(`it has the form format=file, with one of ${formats.join(', ')}`);
}

async function rendered(
  format: Format,
  { review, positionOf, request }: CommandReview,
  { style, columns }: { style: Style; columns: number | undefined },
): Promise<string> {
  const { jsonReport, markdownReport, sarifReport } = await import('@gatehouse/core/review');
  const { plan, stack, options } = request;
  const { failOn, showAll } = options;
  // A large report is mostly its indentation: 300 roles over 150 rules are 27 MB, and 51 with four spaces.
  const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;
  switch (format) {
    case 'terminal': {
      const { reviewText } = await import('./review-text.ts');
      return reviewText(review, style, { columns, all: showAll });
    }
    case 'markdown':
      return markdownReport(review, stack?.name);
    case 'json':
      return json(jsonReport(review, failOn));
    case 'sarif': {
      const planFile = plan === '-' ? undefined : plan;
      return json(sarifReport(review, { version: version(), positionOf, ...(planFile && { planFile }) }));
    }
  }
}

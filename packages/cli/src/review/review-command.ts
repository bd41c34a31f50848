import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Review } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import { InvalidArgumentError } from 'commander';
import {
  type AddCommand,
  type CommandContext,
  limitsOf,
  version,
  withProgress,
} from '../terminal/command.ts';
import type { Told } from '../terminal/many-stacks-text.ts';
import { areSeveral, ofSeveral, refuseForSeveral, tellSeveral } from '../terminal/several-stacks.ts';
import { styleFor } from '../terminal/style.ts';
import { ExitCode, type Terminal, widthOf } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
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
    .option('--max-age <duration>', 'older snapshots count as incomplete', '36h')
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
    .action((plan: string | undefined, options: ReviewCommandOptions) =>
      areSeveral(options) ? reviewSeveral(plan, options, context) : run(plan, options, context),
    );
};

/** Opens the source, reviews it, and writes what the command puts out. */
async function run(
  plan: string | undefined,
  options: ReviewCommandOptions,
  context: CommandContext,
): Promise<void> {
  refuseConflicts(plan, options);
  const { terminal } = context;
  const request = await openRequest(plan, options, terminal);
  const { review, positionOf } = await withProgress(terminal, async (progress) => {
    const { options: judging, positionOf } = await settingsOf(request, progress);
    progress.clear();
    return { review: await reviewSource(request, judging, context, progress), positionOf };
  });
  const planFile = plan === '-' ? undefined : plan;
  await writeReports({ review, positionOf, planFile, stack: request.stack?.name }, request);
  await signReview(review, request);
  const { hasFindingsAt } = await import('@gatehouse/core/review');
  terminal.exitCode = hasFindingsAt(review, options.failOn) ? ExitCode.no : ExitCode.ok;
}

/** Writes the report to standard output, then those that `--report` names to their files. */
async function writeReports(reported: ReportedReview, request: ReviewCommandRequest): Promise<void> {
  const { options, terminal, env } = request;
  const format = options.json ? 'json' : options.format;
  const text = await rendered(format, reported, options, terminal);
  if (format === 'terminal') writeText(terminal.stdout, env, text);
  else terminal.stdout.write(text);
  for (const { format, file } of options.report) {
    await writeFile(resolve(terminal.cwd, file), await rendered(format, reported, options, terminal));
  }
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

/** Reviews what each of several stacks plans, or declares anew. Equal results are reported once. */
async function reviewSeveral(
  plan: string | undefined,
  options: ReviewCommandOptions,
  { terminal, openEngine }: CommandContext,
): Promise<void> {
  const { since, base, complete } = options;
  refuseForSeveral({ ...options, plan }, singleOptions);
  const format = formatOfSeveral(options);
  const [operations, forms, { reviewSince }, { readCompared }] = await Promise.all([
    import('./review-stack.ts'),
    formsOfSeveral(format, options),
    import('./review-since.ts'),
    import('../open/open-stack.ts'),
  ]);
  const how = { doing: since === undefined ? 'Planning' : 'Comparing', needsToken: true };
  const reviews = await ofSeveral(options, terminal, how, async ({ stack, env }): Promise<Review> => {
    const limits = since === undefined ? limitsOf(options) : undefined;
    const { options: judging } = await operations.reviewSettings(
      stack,
      env,
      limits,
      since === undefined && base,
    );
    if (complete) judging.complete = true;
    if (since !== undefined) {
      return reviewSince(await readCompared(stack.directory, stack.name, env), since, judging, env);
    }
    const { engine } = await openEngine(options, stack, env);
    return operations.reviewStack(stack, engine, judging, env);
  });
  await tellSeveral(reviews, forms, { json: format === 'json' }, terminal);
}

/** @throws GatehouseError `option_conflict` */
function formatOfSeveral(options: ReviewCommandOptions): Format {
  const format = options.json ? 'json' : options.format;
  if (['terminal', 'markdown', 'json'].includes(format)) return format;
  throw new GatehouseError('option_conflict.several_format', {
    given: format,
    allowed: 'terminal, markdown, json',
  });
}

async function formsOfSeveral(
  format: Format,
  { failOn, showAll }: ReviewCommandOptions,
): Promise<Told<Review>> {
  const [{ hasFindingsAt, jsonReport, markdownReport }, { reviewText }] = await Promise.all([
    import('@gatehouse/core/review'),
    import('./review-text.ts'),
  ]);
  const json = (review: Review) => jsonReport(review, failOn);
  return {
    json,
    content: (review) => [json(review), review.older, review.notes, review.passedOver],
    text: (review, heading, style, columns) =>
      format === 'markdown'
        ? markdownReport(review, heading)
        : `${style.strong(heading)}\n${reviewText(review, style, { columns, all: showAll })}`,
    exitCode: (review) => (hasFindingsAt(review, failOn) ? ExitCode.no : ExitCode.ok),
  };
}

function collectReport(argument: string, reports: FileReport[]): FileReport[] {
  const [, name, file = ''] = /^([\w-]+)=(.+)$/s.exec(argument) ?? [];
  const format = formats.find((candidate) => candidate === name);
  if (format !== undefined) return [...reports, { format, file }];
  throw new InvalidArgumentError(`it has the form format=file, with one of ${formats.join(', ')}`);
}

interface ReportedReview extends Pick<ReviewSettings, 'positionOf'> {
  review: Review;
  planFile: string | undefined;
  stack: string | undefined;
}

async function rendered(
  format: Format,
  { review, positionOf, planFile, stack }: ReportedReview,
  { failOn, showAll }: ReviewCommandOptions,
  { stdout, env }: Terminal,
): Promise<string> {
  const { jsonReport, markdownReport, sarifReport } = await import('@gatehouse/core/review');
  // A large report is mostly its indentation: 300 roles over 150 rules are 27 MB, and 51 with four spaces.
  const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;
  switch (format) {
    case 'terminal': {
      const { reviewText } = await import('./review-text.ts');
      return reviewText(review, styleFor(stdout, env), { columns: widthOf(stdout, env), all: showAll });
    }
    case 'markdown':
      return markdownReport(review, stack);
    case 'json':
      return json(jsonReport(review, failOn));
    case 'sarif': {
      const options = { version: version(), positionOf, ...(planFile && { planFile }) };
      return json(sarifReport(review, options));
    }
  }
}

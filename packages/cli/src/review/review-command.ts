import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Review } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import { InvalidArgumentError } from 'commander';
import {
  type AddCommand,
  type CommandContext,
  type EngineOptions,
  limitsOf,
  type ReadingOptions,
  type ReplayOptions,
  type SeveralOptions,
  version,
  withProgress,
} from '../terminal/command.ts';
import type { Told } from '../terminal/many-stacks-text.ts';
import { areSeveral, ofSeveral, refuseForSeveral, tellSeveral } from '../terminal/several-stacks.ts';
import { styleFor } from '../terminal/style.ts';
import { ExitCode, type Terminal, widthOf } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import { replayRequest } from '../usage/replaying.ts';
import { secondsOf } from '../usage/service-options.ts';
import { type ReviewSettings, settingsWithoutStack } from './review-settings.ts';

const formats = ['terminal', 'markdown', 'json', 'sarif'] as const;
type Format = (typeof formats)[number];

interface ReviewCommandOptions extends SeveralOptions, EngineOptions, ReadingOptions, ReplayOptions {
  format: Format;
  failOn: 'info' | 'warning' | 'error';
  since?: string;
  base?: string;
  complete?: boolean;
  showAll?: boolean;
  live?: boolean;
  snapshot?: string;
  between?: string[];
  keyFile?: string;
  digest?: string;
  maxAge: string;
  report: FileReport[];
  sign?: string;
  statement: string;
  steps?: string;
}

interface FileReport {
  format: Format;
  file: string;
}

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

async function run(
  plan: string | undefined,
  options: ReviewCommandOptions,
  { terminal, openEngine }: CommandContext,
): Promise<void> {
  refuseConflicts(plan, options);
  const { stack: name, since, between, live = false, snapshot, keyFile, digest } = options;
  const path = (file: string) => resolve(terminal.cwd, file);
  const format = options.json ? 'json' : options.format;
  const isOwn = plan === undefined && between === undefined;
  // A plan without a stack needs neither an engine nor a client of the service: they take longer to load than it to review.
  const opened = isOwn || name !== undefined ? await openReviewed(options, terminal) : undefined;
  const { stack, env } = opened ?? { stack: undefined, env: terminal.env };
  const replaying = await replayRequest(options, stack, terminal, env);
  const snapshots = () => import('../snapshot/snapshot.ts');
  const key = keyFile === undefined ? undefined : await (await snapshots()).readKeyFile(path(keyFile));
  const signing = await signingOf(options, terminal);
  const { review, positionOf } = await withProgress(terminal, async (progress) => {
    const isRead = between === undefined && (live || (isOwn && since === undefined));
    const limits = isRead ? { ...limitsOf(options), onRead: progress.onRead } : undefined;
    const settings =
      stack === undefined
        ? settingsWithoutStack()
        : await (await ofStack()).reviewSettings(stack, env, limits, since === undefined && options.base);
    const { positionOf, options: judging } = settings;
    if (options.complete) judging.complete = true;
    progress.clear();
    /** @param reviewed what may have names of people that the snapshot has hashed */
    const snapshotOf = async (reviewed: object[]) => {
      if (snapshot === undefined) return judging.live;
      const seconds = await secondsOf('--max-age', options.maxAge);
      const { service } = judging;
      const how = { key, digest, maxAge: seconds, now: Date.now(), names: textsIn(reviewed), service };
      return (await snapshots()).snapshotService(path(snapshot), how);
    };
    const reviewed = async (): Promise<Review> => {
      if (between !== undefined) {
        const { reviewBetween } = await import('./review-between.ts');
        const [before = '', after = ''] = between.map(path);
        return reviewBetween([before, after], key, judging);
      }
      if (since !== undefined && stack !== undefined) {
        const { reviewSince } = await import('./review-since.ts');
        return reviewSince(stack, since, judging, env, snapshotOf, replaying);
      }
      if (plan === undefined && stack !== undefined) {
        const { engine } = await openEngine(options, stack, env);
        progress.begin('Planning');
        const { planStack } = await import('../deployment/deployment.ts');
        const planned = await planStack(stack, engine, env, [], (event) => progress.onEvent(event));
        await signing?.ofPlan(stack, planned);
        return (await ofStack()).reviewDeployment(stack, planned, judging, env, replaying);
      }
      const { readPlanFile } = await import('../open/read-plan-file.ts');
      const file = plan === '-' ? '-' : path(plan ?? '');
      const archive = await (await import('../open/read-plan-archive.ts')).readPlanArchive(file, terminal);
      await signing?.ofFile(stack, file, archive);
      const read = archive?.plan ?? (await readPlanFile(file, terminal.stdin));
      const live = await snapshotOf(read.resources);
      const judged = { ...judging, ...(live && { live }) };
      const { reviewReplayed } = await import('../usage/replay-plan.ts');
      return reviewReplayed(read, judged, replaying);
    };
    return { review: await reviewed(), positionOf };
  });
  const planFile = plan === '-' ? undefined : plan;
  const render = (format: Format) =>
    rendered(format, { review, positionOf, planFile, stack: stack?.name }, options, terminal);
  const text = await render(format);
  if (format === 'terminal') writeText(terminal.stdout, env, text);
  else terminal.stdout.write(text);
  for (const { format, file } of options.report) await writeFile(path(file), await render(format));
  await signing?.sign(review, { snapshot: snapshot && path(snapshot), isLive: isOwn || live });
  const { hasFindingsAt } = await import('@gatehouse/core/review');
  terminal.exitCode = hasFindingsAt(review, options.failOn) ? ExitCode.no : ExitCode.ok;
}

const ofStack = () => import('./review-stack.ts');

/** The stack that is reviewed, or that a plan is for, and variables with the token for its service. */
async function openReviewed({ cwd, stack: name, since }: ReviewCommandOptions, { env: given }: Terminal) {
  const [{ openStack, readCompared, chooseStack }, { withServiceToken }] = await Promise.all([
    import('../open/open-stack.ts'),
    import('../open/service-token.ts'),
  ]);
  const stack =
    since === undefined
      ? await openStack(cwd, name, given)
      : await readCompared(cwd, await chooseStack(cwd, name, given), given);
  return { stack, env: await withServiceToken(stack, given) };
}

/** What signs the review; loaded only where it does. */
async function signingOf({ sign, statement, steps, base }: ReviewCommandOptions, { cwd, env }: Terminal) {
  if (sign === undefined) return undefined;
  const { SignedReview } = await import('../statement/signed-review.ts');
  return SignedReview.begin({
    keyFile: resolve(cwd, sign),
    file: resolve(cwd, statement),
    base,
    env,
    steps: steps === undefined ? undefined : resolve(cwd, steps),
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

/** Reviews what each of several stacks plans, or declares anew. Equal results are said once. */
async function reviewSeveral(
  plan: string | undefined,
  options: ReviewCommandOptions,
  { terminal, openEngine }: CommandContext,
): Promise<void> {
  const { since, failOn } = options;
  refuseForSeveral({ ...options, plan }, [
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
  ]);
  const format = options.json ? 'json' : options.format;
  if (!['terminal', 'markdown', 'json'].includes(format)) {
    throw new GatehouseError('option_conflict.several_format', {
      given: format,
      allowed: 'terminal, markdown, json',
    });
  }
  const [operations, reports, { reviewText }, { reviewSince }, { readCompared }] = await Promise.all([
    import('./review-stack.ts'),
    import('@gatehouse/core/review'),
    import('./review-text.ts'),
    import('./review-since.ts'),
    import('../open/open-stack.ts'),
  ]);
  const how = { doing: since === undefined ? 'Planning' : 'Comparing', needsToken: true };
  const found = await ofSeveral(options, terminal, how, async ({ stack, env }): Promise<Review> => {
    const limits = since === undefined ? limitsOf(options) : undefined;
    const settings = await operations.reviewSettings(stack, env, limits, since === undefined && options.base);
    if (options.complete) settings.options.complete = true;
    if (since !== undefined) {
      return reviewSince(await readCompared(stack.directory, stack.name, env), since, settings.options, env);
    }
    const { engine } = await openEngine(options, stack, env);
    return operations.reviewStack(stack, engine, settings.options, env);
  });
  const { hasFindingsAt, jsonReport, markdownReport } = reports;
  const json = (review: Review) => jsonReport(review, failOn);
  const forms: Told<Review> = {
    json,
    content: (review) => [json(review), review.older, review.notes, review.passedOver],
    text: (review, heading, style, columns) =>
      format === 'markdown'
        ? markdownReport(review, heading)
        : `${style.strong(heading)}\n${reviewText(review, style, { columns, all: options.showAll })}`,
    exitCode: (review) => (hasFindingsAt(review, failOn) ? ExitCode.no : ExitCode.ok),
  };
  await tellSeveral(found, forms, { json: format === 'json' }, terminal);
}

/** Every text that may be the name of a person. */
function textsIn(reviewed: object[]): Set<string> {
  const found = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === 'string') for (const one of [value, ...value.split('/')]) found.add(one);
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) add(one);
  };
  add(reviewed);
  return found;
}

function collectReport(given: string, before: FileReport[]): FileReport[] {
  const [, name, file = ''] = /^([\w-]+)=(.+)$/s.exec(given) ?? [];
  const format = formats.find((one) => one === name);
  if (format !== undefined) return [...before, { format, file }];
  throw new InvalidArgumentError(`it has the form format=file, with one of ${formats.join(', ')}`);
}

interface Reviewed extends Pick<ReviewSettings, 'positionOf'> {
  review: Review;
  planFile: string | undefined;
  stack: string | undefined;
}

async function rendered(
  format: Format,
  { review, positionOf, planFile, stack }: Reviewed,
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

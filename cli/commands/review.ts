import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Review, ReviewOptions } from '../../core/review/review.ts';
import { ExitCode, type Terminal, widthOf } from '../rendering/terminal.ts';
import { writeText } from '../rendering/wrap.ts';
import {
  type AddCommand,
  addCommand,
  type CommandContext,
  type EngineOptions,
  limitsOf,
  type ReadingOptions,
  withBase,
  withEngine,
  withReading,
  withStack,
} from './command.ts';
import { type ReplayOptions, replayRequest, withReplay } from './replaying.ts';
import { secondsOf } from './service-options.ts';
import {
  areSeveral,
  ofSeveral,
  refuseForSeveral,
  type SeveralOptions,
  tellSeveral,
  withSeveral,
} from './several-stacks.ts';

const formats = ['terminal', 'markdown', 'json', 'json-1', 'sarif', 'junit'] as const;
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
}

/** A report that goes to a file. */
interface FileReport {
  format: Format;
  file: string;
}

export const addReview: AddCommand = (program, { terminal, openEngine }) => {
  const command = addCommand(
    program,
    'review',
    'show who gains and who loses access by a plan, and what is wrong with it',
    [
      'gatehouse review -s dev',
      'terraform show -json tfplan | gatehouse review - --format markdown',
      'gatehouse review preview.json -s prod --format sarif --fail-on warning',
      'gatehouse review -s prod --since main --format markdown --report sarif=review.sarif',
      'gatehouse review plan.json -s prod --live --replay audit.log --replay audit.log.1.gz',
      "gatehouse review -s 'prod-*' --since main --format markdown",
    ],
  )
    .argument('[plan]', 'file with a plan as JSON, - for standard input (default: plans the stack)')
    .addOption(new Option('--format <name>', 'format of the report').choices(formats).default('terminal'))
    .addOption(
      new Option('--fail-on <severity>', 'exit with 2 for findings at least this severe')
        .choices(['info', 'warning', 'error'])
        .default('error'),
    )
    .option('--live', 'read the service of the stack, and judge the plan on top of what it has')
    .option('--snapshot <file>', 'judge the change on top of what this snapshot of the service has: no token')
    .option('--between <files...>', 'two snapshots: what became of the service from one to the other')
    .option('--key-file <file>', 'the key that the snapshots were written with')
    .option('--digest <digest>', 'the digest of the snapshot, as gatehouse snapshot told it')
    .option('--max-age <duration>', 'a snapshot that is older leaves things open', '36h')
    .option('--complete', 'an answer that leaves something open is an error')
    .option('--show-all', 'every path and finding, also those that were there before')
    .option(
      '--since <revision>',
      'compare what the files of the stack declare with a revision of git: no token',
    )
    .option(
      '--report <format=file>',
      'also write a report to this file; may be given again',
      collectReport,
      [],
    )
    .addHelpText(
      'after',
      '\nPlans: pulumi preview --json --show-sames, gatehouse preview --json, terraform show -json PLAN (tofu the same).\n' +
        'With -s, the rules that the stack turns off are off, and findings name lines of its file.',
    );
  withReplay(withBase(withReading(command)));
  withSeveral(withEngine(withStack(command))).action(
    async (plan: string | undefined, options: ReviewCommandOptions) => {
      const [
        { chooseStack, openStack, readCompared },
        { withServiceToken },
        { reviewSettings },
        { hasFindingsAt },
        { Progress },
      ] = await Promise.all([
        import('../../operations/open-stack.ts'),
        import('../../operations/service-token.ts'),
        import('../../operations/review/review-stack.ts'),
        import('../../core/review/review.ts'),
        import('../rendering/progress.ts'),
      ]);
      const progress = new Progress(terminal);
      if (plan !== undefined && options.since !== undefined) {
        throw new GatehouseError({
          code: 'option_conflict',
          what: '--since compares the files of a stack, and a plan says what it changes by itself',
          fix: 'Leave one of them out.',
        });
      }
      if (areSeveral(options)) return reviewSeveral(plan, options, { terminal, openEngine });
      const { cwd, stack: name, since } = options;
      const isPlanned = plan === undefined;
      const compared =
        since === undefined ? undefined : await import('../../operations/review/review-since.ts');
      const open = async () =>
        compared === undefined
          ? openStack(cwd, name, terminal.env)
          : readCompared(cwd, await chooseStack(cwd, name, terminal.env), terminal.env);
      const needsStack = isPlanned && options.between === undefined;
      const stack = needsStack || name !== undefined ? await open() : undefined;
      const env = stack === undefined ? terminal.env : await withServiceToken(stack, terminal.env);
      if (options.live && name === undefined && !isPlanned) {
        throw new GatehouseError({
          code: 'option_conflict',
          what: '--live reads the service of a stack, and none is named',
          fix: 'Name the stack that the plan is for with --stack.',
        });
      }
      if (options.snapshot !== undefined && ((isPlanned && since === undefined) || options.live)) {
        throw new GatehouseError({
          code: 'option_conflict',
          what: '--snapshot is for a review without a token: of a plan, or of what files declare',
          fix: 'Name a file with a plan, or --since, and leave --live out.',
        });
      }
      const replaying = await replayRequest(options, stack, terminal, env);
      if (plan === '-' && options.replay?.includes('-')) {
        throw new GatehouseError({
          code: 'option_conflict',
          what: 'standard input is either the plan or an audit log',
          fix: 'Name a file for one of them.',
        });
      }
      const key = await keyOf(options, terminal);
      if (options.between !== undefined) {
        const files = options.between.map((file) => resolve(terminal.cwd, file));
        const [before, after, ...more] = files;
        if (
          before === undefined ||
          after === undefined ||
          more.length > 0 ||
          replaying !== undefined ||
          !isPlanned ||
          since !== undefined
        ) {
          throw new GatehouseError({
            code: 'option_conflict',
            what: '--between takes two snapshots, and nothing else to compare',
            fix: 'gatehouse review --between BEFORE AFTER',
          });
        }
        const { reviewBetween } = await import('../../operations/review/review-between.ts');
        const settings = await reviewSettings(stack, env, undefined, options.base);
        if (options.complete) settings.options.complete = true;
        const review = await reviewBetween([before, after], key, settings.options);
        return print(review, settings.positionOf, undefined);
      }
      const isRead = options.live === true || (isPlanned && since === undefined);
      const settings = await reviewSettings(
        stack,
        env,
        isRead ? { ...limitsOf(options), onRead: progress.onRead } : undefined,
        since === undefined ? options.base : false,
      ).finally(() => progress.clear());
      if (options.complete) settings.options.complete = true;
      const review = await (async () => {
        if (compared !== undefined && since !== undefined && stack !== undefined) {
          return compared.reviewSince(stack, since, settings.options, env, snapshotOf, replaying);
        }
        if (isPlanned && stack !== undefined) {
          const { reviewStack } = await import('../../operations/review/review-stack.ts');
          const { engine } = await openEngine(options, stack, env);
          progress.begin('Planning');
          const onEvent: Parameters<typeof reviewStack>[4] = (event) => progress.onEvent(event);
          return reviewStack(stack, engine, settings.options, env, onEvent, replaying);
        }
        const { readPlanFile } = await import('../../operations/read-plan-file.ts');
        const path = plan === '-' ? '-' : resolve(terminal.cwd, plan ?? '');
        const read = await readPlanFile(path, terminal.stdin);
        const live = await snapshotOf(read.resources);
        const judged = { ...settings.options, ...(live && { live }) };
        const { reviewReplayed } = await import('../../operations/usage/replay-plan.ts');
        return reviewReplayed(read, judged, replaying);
      })().finally(() => progress.clear());
      return print(review, settings.positionOf, isPlanned || plan === '-' ? undefined : plan);

      /** @param reviewed what may have names of people that the snapshot has hashed */
      async function snapshotOf(reviewed: object[]): Promise<ReviewOptions['live']> {
        if (options.snapshot === undefined) return settings.options.live;
        const { snapshotService } = await import('../../operations/snapshot.ts');
        const service = settings.options.service;
        return snapshotService(resolve(terminal.cwd, options.snapshot), {
          ...{
            key,
            digest: options.digest,
            maxAge: await secondsOf('--max-age', options.maxAge),
            now: Date.now(),
          },
          ...{ names: textsIn(reviewed), ...(service && { service }) },
        });
      }

      async function print(
        review: Rendering['review'],
        positionOf: Rendering['positionOf'],
        planFile: string | undefined,
      ): Promise<void> {
        const render = (format: Format) =>
          rendered(format, {
            ...{ review, failOn: options.failOn, terminal, positionOf, planFile },
            stack: stack?.name,
            all: options.showAll === true,
          });
        const format = options.json === true ? 'json' : options.format;
        const text = await render(format);
        if (format === 'terminal') writeText(terminal.stdout, terminal.env, text);
        else terminal.stdout.write(text);
        for (const { format, file } of options.report) {
          await writeFile(resolve(terminal.cwd, file), await render(format));
        }
        terminal.exitCode = hasFindingsAt(review, options.failOn) ? ExitCode.no : ExitCode.ok;
      }
    },
  );
};

/** Reviews what each of several stacks plans, or declares anew. What is the same is said once. */
async function reviewSeveral(
  plan: string | undefined,
  options: ReviewCommandOptions,
  { terminal, openEngine }: Pick<CommandContext, 'terminal' | 'openEngine'>,
): Promise<void> {
  const { since, failOn } = options;
  refuseForSeveral({ ...options, plan }, [
    ...['--plan', '--between', '--snapshot', '--key-file', '--digest', '--replay', '--show-people'],
    ...['--hash-with', '--report'],
  ]);
  const format = options.json ? 'json' : options.format;
  if (!['terminal', 'markdown', 'json'].includes(format)) {
    throw new GatehouseError({
      code: 'option_conflict',
      what: 'a report on several stacks has no such format',
      given: format,
      allowed: 'terminal, markdown, json',
    });
  }
  const [operations, { hasFindingsAt }, { jsonReport }, { headingOf }, { styleFor }] = await Promise.all([
    import('../../operations/review/review-stack.ts'),
    import('../../core/review/review.ts'),
    import('../../core/review/reports/json.ts'),
    import('../rendering/many-stacks-text.ts'),
    import('../rendering/style.ts'),
  ]);
  const [{ markdownReport }, { reviewText }, { reviewSince }, { readCompared }] = await Promise.all([
    import('../../core/review/reports/markdown.ts'),
    import('../rendering/review-text.ts'),
    import('../../operations/review/review-since.ts'),
    import('../../operations/open-stack.ts'),
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
  const { stdout, env } = terminal;
  const style = styleFor(stdout, env);
  const layout = { columns: widthOf(stdout, env), all: options.showAll === true };
  const json = (review: Review) => jsonReport(review, failOn);
  await tellSeveral(
    found,
    {
      json,
      content: (review) => [json(review), review.older, review.notes, review.passedOver],
      text: (review, names) =>
        format === 'markdown'
          ? markdownReport(review, headingOf(names))
          : `${style.strong(headingOf(names))}\n${reviewText(review, style, layout)}`,
      exitCode: (review) => (hasFindingsAt(review, failOn) ? ExitCode.no : ExitCode.ok),
    },
    { json: format === 'json' },
    terminal,
  );
}

async function keyOf({ keyFile }: ReviewCommandOptions, { cwd }: Terminal): Promise<string | undefined> {
  if (keyFile === undefined) return undefined;
  const { readKeyFile } = await import('../../operations/snapshot.ts');
  return readKeyFile(resolve(cwd, keyFile));
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

interface Rendering {
  review: Review;
  failOn: ReviewCommandOptions['failOn'];
  terminal: Terminal;
  positionOf: import('../../operations/review/review-stack.ts').ReviewSettings['positionOf'];
  planFile: string | undefined;
  stack: string | undefined;
  all: boolean;
}

/** Each report is loaded only where it is asked for. */
async function rendered(
  format: Format,
  { review, failOn, terminal, positionOf, planFile, stack, all }: Rendering,
): Promise<string> {
  // A large report is mostly its indentation: 300 roles over 150 rules are 27 MB, and 51 with four spaces.
  const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;
  switch (format) {
    case 'terminal': {
      const { reviewText } = await import('../rendering/review-text.ts');
      const { styleFor } = await import('../rendering/style.ts');
      const columns = widthOf(terminal.stdout, terminal.env);
      return reviewText(review, styleFor(terminal.stdout, terminal.env), { columns, all });
    }
    case 'markdown':
      return (await import('../../core/review/reports/markdown.ts')).markdownReport(review, stack);
    case 'json':
      return json((await import('../../core/review/reports/json.ts')).jsonReport(review, failOn));
    case 'json-1':
      return json((await import('../../core/review/reports/json.ts')).jsonReport1(review, failOn));
    case 'sarif': {
      const [{ sarifReport }, { version }] = await Promise.all([
        import('../../core/review/reports/sarif.ts'),
        import('./command.ts'),
      ]);
      return json(sarifReport(review, { version: version(), positionOf, ...(planFile && { planFile }) }));
    }
    case 'junit':
      return (await import('../../core/review/reports/junit.ts')).junitReport(review, failOn);
  }
}

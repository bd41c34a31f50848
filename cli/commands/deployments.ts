import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Review } from '../../core/review/review.ts';
import type {
  ApprovedRequest,
  DeploymentResult,
  Operate,
  OperationResult,
} from '../../operations/deployment.ts';
import { styleFor } from '../rendering/style.ts';
import { askWithDetails, ExitCode, isInteractive, type Terminal, widthOf } from '../rendering/terminal.ts';
import { writeText } from '../rendering/wrap.ts';
import {
  type AddCommand,
  addCommand,
  type CommandContext,
  type EngineOptions,
  limitsOf,
  type ReadingOptions,
  type StackOptions,
  withBase,
  withEngine,
  withReading,
  withStack,
} from './command.ts';
import { type ReplayOptions, replayRequest, withReplay } from './replaying.ts';

interface DeploymentOptions extends StackOptions, EngineOptions, ReadingOptions, ReplayOptions {
  target?: string[];
  exclude?: string[];
  parallel?: number;
  continueOnError?: boolean;
  refresh?: boolean;
  import?: string;
  policyPack?: string[];
  policyPackConfig?: string[];
  base?: string;
  preflight?: boolean;
  takeOver?: string[];
  unbound?: boolean;
  yes?: boolean;
}

const appliedJsonHelp =
  '\n--json prints what pulumi preview --json prints, plus outputs and result (succeeded, failed).';

export const addPreview: AddCommand = (program, context) => {
  const command = addCommand(program, 'preview', 'show what up would change', [
    'gatehouse preview -s dev',
    'gatehouse preview -s prod --refresh --json > plan.json',
  ]);
  withPlanOptions(command).addHelpText(
    'after',
    '\n--json prints what pulumi preview --json prints. Secrets read "[secret]".',
  );
  withDeployment(command, 'preview', context, '');
};

export const addUp: AddCommand = (program, context) => {
  const command = addCommand(program, 'up', 'apply what the stack declares', [
    'gatehouse up -s dev',
    'gatehouse up -s prod --engine pulumi --yes',
  ]);
  withPlanOptions(command)
    .option(
      '--preflight',
      'first ask the identity providers whether people could sign in; if not, change nothing',
    )
    .option(
      '--take-over <name>',
      "write over this, though the service has it and this stack did not make it: 'policy deploy'; repeatable",
      collected,
    )
    .option(...continueOnError)
    .option('--unbound', 'with --engine pulumi: delete, though the CLI has no update plans to hold it to')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', appliedJsonHelp);
  withDeployment(command, 'up', context, 'Make these changes?');
};

export const addRefresh: AddCommand = (program, context) => {
  const summary = 'read the service into the state, without changing the service';
  const command = addCommand(program, 'refresh', summary, ['gatehouse refresh -s dev --yes']);
  withTarget(command).option('-y, --yes', 'do not ask').addHelpText('after', appliedJsonHelp);
  withDeployment(command, 'refresh', context, 'Update the state?');
};

export const addDestroy: AddCommand = (program, context) => {
  const summary = 'delete everything that the stack created';
  const command = addCommand(program, 'destroy', summary, ['gatehouse destroy -s dev']);
  withTarget(command)
    .option(...continueOnError)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', appliedJsonHelp);
  withDeployment(command, 'destroy', context, 'Delete all of this?');
};

const continueOnError = [
  '--continue-on-error',
  'after a failure, go on with everything that does not depend on it',
] as const;

function withTarget(command: Command): Command {
  return command
    .option(
      '--target <name>',
      "work on this alone: 'role web', 'group staff/*', 'provider staff', or a URN; repeatable",
      collected,
    )
    .option('--exclude <name>', 'leave this as it is; named likewise; repeatable', collected)
    .option('--parallel <number>', 'how many steps at once (default: 16)', parseParallel);
}

const collected = (text: string, before: string[] = []) => [...before, text];

function parseParallel(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be a whole number from 1 to 9999');
}

function withPlanOptions(command: Command): Command {
  return withTarget(
    withReplay(withBase(withReading(command)))
      .option('--refresh', 'read every resource from the service first')
      .option(
        '--import <file>',
        'import the resources that this file names instead of creating them (local engine)',
      )
      .option('--policy-pack <folder>', 'have this policy pack of Pulumi judge it; repeatable', collected)
      .option(
        '--policy-pack-config <file>',
        'configuration of the policy pack that is named in the same place; repeatable',
        collected,
      ),
  );
}

/** Opens the stack, runs the engine, and prints the result. */
function withDeployment(
  command: Command,
  verb: OperationResult['verb'],
  { terminal, openEngine }: CommandContext,
  question: string,
): void {
  withEngine(withStack(command)).action(async (options: DeploymentOptions) => {
    const policyPacks = policyPacksOf(options, terminal);
    // Loaded here, so that --help and the other commands need not wait for it.
    const [operations, { openWithToken }, { checkReady }, { select }, { Progress }, text] = await Promise.all(
      [
        import('../../operations/deployment.ts'),
        import('../../operations/service-token.ts'),
        import('../../operations/check-ready.ts'),
        import('../../operations/selection.ts'),
        import('../rendering/progress.ts'),
        import('../rendering/deployment-text.ts'),
      ],
    );
    const operate: Operate = operations[verb];
    const style = styleFor(terminal.stdout, terminal.env);
    const errorStyle = styleFor(terminal.stderr, terminal.env);
    const verbose = options.verbose === true;
    const progress = new Progress(terminal);
    const print = (stream: Terminal['stdout'], lines: string) => writeText(stream, terminal.env, lines);
    const { stack, env } = await openWithToken(options.cwd, options.stack, terminal.env);
    const { engine, warning } = await openEngine(options, stack, env);
    const replaying = await replayRequest(options, stack, terminal, env);
    if (warning !== undefined) print(terminal.stderr, `${errorStyle.changed('warning:')} ${warning}\n`);

    let review: Review | undefined;
    let prepared: ReturnType<typeof prepareReview> | undefined;
    let isPlanned = false;
    // While the plan is made, its tree is shown.
    const onRead = (done: number, of: number) => {
      if (isPlanned) progress.onRead(done, of);
    };
    const prepareReview = async () => {
      const { reviewDeployment, reviewSettings } = await import('../../operations/review/review-stack.ts');
      return {
        reviewDeployment,
        settings: await reviewSettings(stack, env, { ...limitsOf(options), onRead }, options.base),
      };
    };
    const judge = async (plan: DeploymentResult): Promise<Review> => {
      isPlanned = true;
      const { reviewDeployment, settings } = await (prepared ?? prepareReview());
      review = await reviewDeployment(stack, plan, settings.options, env, replaying);
      progress.clear();
      return review;
    };
    const show = (result: OperationResult, all = verbose) => {
      progress.clear();
      print(terminal.stdout, text.deploymentText(result, { style, verbose: all }));
      print(terminal.stderr, text.diagnosticsText(result.deployment.diagnostics, errorStyle, all));
    };
    const columns = widthOf(terminal.stdout, terminal.env);
    const showReview = async (given: Review, all = verbose) => {
      if (options.json || given.resources.changed === 0) return;
      const { reviewText } = await import('../rendering/review-text.ts');
      progress.clear();
      print(terminal.stdout, `\n${reviewText(given, style, { columns, all })}\n`);
    };
    const showPlan = (plan: DeploymentResult, all = verbose) =>
      show({ verb, outcome: 'succeeded', applied: false, deployment: plan }, all);
    progress.say(`${stack.project}/${stack.name}: starting …`);
    try {
      // Refresh and destroy work from the state, even if the configuration has errors.
      if (verb === 'preview' || verb === 'up') await checkReady(stack, env);
      if (options.preflight && !(await couldSignIn(stack, terminal, () => progress.clear()))) return;
      const approval = approvalOf(options, terminal);
      const imports = await readImports(stack, options, terminal);
      const { target = [], exclude = [], parallel, continueOnError } = options;
      const selected = await select({ stack, verb, target, exclude, imports }, engine);
      const how = { refresh: options.refresh === true, parallel, continueOnError };
      const request = { stack, ...how, ...selected, imports, policyPacks, approval };
      const result = await operate(request, engine, {
        onRun: ({ dryRun }) => progress.begin(doing[dryRun ? 'preview' : verb]),
        onEvent: (event) => {
          progress.onEvent(event);
          if (prepared !== undefined || (verb !== 'preview' && verb !== 'up')) return;
          // The program has begun, and is busy for a while. Whether this failed is asked when it is needed.
          prepared = prepareReview();
          prepared.catch(() => {});
        },
        review: async (plan) => {
          const given = await judge(plan);
          const { requireOwn } = await import('../../operations/take-over.ts');
          requireOwn(given.taken, options.takeOver ?? []);
          const { hasFindingsAt } = await import('../../core/review/review.ts');
          const isGood = !hasFindingsAt(given, 'error');
          if (!options.json && (!isGood || approval === 'ask')) showPlan(plan);
          await showReview(given);
          return isGood;
        },
        confirm: async (plan) => {
          if (review === undefined) showPlan(plan);
          return askWithDetails(terminal, question, async () => {
            showPlan(plan, true);
            if (review !== undefined) await showReview(review, true);
          });
        },
      });
      progress.clear();
      if (verb === 'preview' && result.outcome === 'succeeded') await judge(result.deployment);
      if (options.json) await printJson(stack, result, review, terminal);
      else if (result.outcome === 'declined') terminal.stderr.write('Nothing was changed.\n');
      else if (result.outcome === 'refused')
        print(terminal.stderr, `${errorStyle.removed('error:')} ${refusal}\n`);
      else {
        show(result);
        if (verb === 'preview' && review !== undefined) await showReview(review);
      }
      terminal.exitCode = exitCodes[result.outcome];
    } finally {
      progress.clear();
    }
  });
}

/** Says what the identity providers refuse. @returns false, with its exit code, if there is something */
async function couldSignIn(
  stack: ApprovedRequest['stack'],
  terminal: Terminal,
  beforeText: () => void,
): Promise<boolean> {
  const [{ preflightStack }, { checksText }] = await Promise.all([
    import('../../operations/preflight.ts'),
    import('../rendering/checks-text.ts'),
  ]);
  const checks = await preflightStack(stack, terminal.env);
  if (!checks.some(({ outcome }) => outcome === 'failed')) return true;
  const style = styleFor(terminal.stderr, terminal.env);
  beforeText();
  terminal.stderr.write(
    `${checksText(checks, style)}${style.removed('error:')} People could not sign in, so nothing was changed.\n`,
  );
  terminal.exitCode = ExitCode.no;
  return false;
}

/** What is in progress. */
const doing = { preview: 'Planning', up: 'Applying', refresh: 'Reading', destroy: 'Deleting' };

const exitCodes: Record<OperationResult['outcome'], ExitCode> = {
  succeeded: ExitCode.ok,
  failed: ExitCode.error,
  declined: ExitCode.no,
  refused: ExitCode.no,
};

const refusal =
  'The review of this change found errors, so nothing was changed. Fix them, or accept them for a time: docs/exceptions.md.';

function approvalOf({ yes, json }: DeploymentOptions, terminal: Terminal): ApprovedRequest['approval'] {
  if (yes) return 'given';
  return isInteractive(terminal) && !json ? 'ask' : 'none';
}

function policyPacksOf(
  { policyPack: folders = [], policyPackConfig: configs = [] }: DeploymentOptions,
  { cwd }: Terminal,
): ApprovedRequest['policyPacks'] {
  if (configs.length > 0 && configs.length !== folders.length) {
    throw new GatehouseError({
      code: 'option_conflict',
      what: 'each --policy-pack-config is for the --policy-pack in the same place',
      given: `${folders.length} of one, ${configs.length} of the other`,
      fix: 'Give as many of one as of the other, or no configuration.',
    });
  }
  return folders.map((folder, index) => ({
    folder: resolve(cwd, folder),
    ...(configs[index] !== undefined && { config: resolve(cwd, configs[index]) }),
  }));
}

async function readImports(
  stack: ApprovedRequest['stack'],
  { import: file }: DeploymentOptions,
  { cwd }: Terminal,
) {
  if (file === undefined) return undefined;
  const { readImportFile } = await import('../../operations/adopt/import-file.ts');
  return await readImportFile(resolve(cwd, file), stack);
}

async function printJson(
  stack: ApprovedRequest['stack'],
  { verb, deployment, outcome }: OperationResult,
  review: Review | undefined,
  { stdout }: Terminal,
): Promise<void> {
  const [{ appliedDigest, digest }, { jsonReport }] = await Promise.all([
    import('../../operations/description/digest.ts'),
    import('../../core/review/reports/json.ts'),
  ]);
  const printed = verb === 'preview' ? digest(stack, deployment) : appliedDigest(stack, deployment, outcome);
  const reviewed = review && { review: jsonReport(review, 'error') };
  stdout.write(`${JSON.stringify({ ...printed, ...reviewed }, null, 4)}\n`);
}

import { resolve } from 'node:path';
import type { Subject } from '@gatehouse/core/graph';
import type { Review } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentEvent } from '@gatehouse/engine';
import type {
  ApprovedRequest,
  DeploymentResult,
  Operate,
  OperationResult,
} from '../deployment/deployment.ts';
import {
  type AddCommand,
  type CommandContext,
  type GatehouseCommand,
  jsonText,
  limitsOf,
  say,
  wholeNumber,
  withProgress,
} from '../terminal/command.ts';
import { areSeveral } from '../terminal/several-stacks.ts';
import { printable, styleFor } from '../terminal/style.ts';
import { askWithDetails, ExitCode, type Terminal, widthOf } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import { replayRequest } from '../usage/replaying.ts';
import {
  approvalOf,
  type DeploymentOptions,
  deploymentJson,
  exitCodes,
  policyPacksOf,
  refusal,
} from './deployment-options.ts';

const appliedJsonHelp =
  '--json prints what pulumi preview --json prints, plus outputs and result (succeeded, failed).';
const continueOnError = [
  '--continue-on-error',
  'after a failure, go on with everything that does not depend on it',
] as const;

export const addPreview: AddCommand = (program, context) => {
  const command = program.add('preview', 'show what up would change', [
    'gatehouse preview -s dev',
    'gatehouse preview -s prod --refresh --json > plan.json',
  ]);
  withPlanOptions(command).note('--json prints what pulumi preview --json prints. Secrets read "[secret]".');
  withDeployment(command, 'preview', context, '');
};

export const addUp: AddCommand = (program, context) => {
  const command = program.add('up', 'apply what the stack declares', [
    'gatehouse up -s dev',
    'gatehouse up -s prod --engine pulumi --yes',
    "gatehouse up -s 'prod-*'",
  ]);
  withPlanOptions(command)
    .option(
      '--preflight',
      'first ask the identity providers whether people could sign in; if not, change nothing',
    )
    .repeatable(
      '--take-over <name>',
      "write over this, though the service has it and this stack did not make it: 'policy deploy'; repeatable",
    )
    .repeatable(
      '--require-review <file>',
      'a signed review of this change, as gatehouse:reviews asks for; repeatable',
    )
    .option(
      '--allow-replace',
      'make auth methods anew that go to another namespace: everyone’s identity there is lost',
    )
    .option(
      '--max-failures <number>',
      'of several stacks: begin no further one once so many failed (default: 1)',
      wholeNumber(1, 9999),
    )
    .option(...continueOnError)
    .option('--unbound', 'with --engine pulumi: delete, though the CLI has no update plans to hold it to')
    .option('-y, --yes', 'do not ask')
    .note(appliedJsonHelp);
  withDeployment(command, 'up', context, 'Make these changes?');
};

export const addRefresh: AddCommand = (program, context) => {
  const command = program.add('refresh', 'read the service into the state, without changing the service', [
    'gatehouse refresh -s dev --yes',
  ]);
  withTarget(command).option('-y, --yes', 'do not ask').note(appliedJsonHelp);
  withDeployment(command, 'refresh', context, 'Update the state?');
};

export const addDestroy: AddCommand = (program, context) => {
  const command = program.add('destroy', 'delete everything that the stack created', [
    'gatehouse destroy -s dev',
  ]);
  withTarget(command)
    .option(...continueOnError)
    .option('-y, --yes', 'do not ask')
    .note(appliedJsonHelp);
  withDeployment(command, 'destroy', context, 'Delete all of this?');
};

function withTarget(command: GatehouseCommand, ofStacks = ''): GatehouseCommand {
  return command
    .repeatable(
      '--target <name>',
      "work on this alone: 'role web', 'group staff/*', 'provider staff', or a URN; repeatable",
    )
    .repeatable('--exclude <name>', 'leave this as it is; named likewise; repeatable')
    .option('--parallel <number>', `how many steps at once (default: 16)${ofStacks}`, wholeNumber(1, 9999));
}

function withPlanOptions(command: GatehouseCommand): GatehouseCommand {
  command
    .withReading()
    .withBase()
    .withReplay()
    .option('--refresh', 'read every resource from the service first')
    .option(
      '--import <file>',
      'import the resources that this file names instead of creating them (local engine)',
    )
    .repeatable(
      '--policy-pack <folder>',
      'have this policy pack of Pulumi judge it (pulumi engine); repeatable',
    )
    .repeatable(
      '--policy-pack-config <file>',
      'configuration of the policy pack that is named in the same place; repeatable',
    );
  return withTarget(command, '; of several stacks, how many of them (up: 1)');
}

function withDeployment(
  command: GatehouseCommand,
  verb: OperationResult['verb'],
  context: CommandContext,
  question: string,
): void {
  command
    .withStack()
    .withEngine()
    .withAllStacks(verb === 'refresh' || verb === 'destroy')
    .action(async (options: DeploymentOptions) => {
      if (!areSeveral(options)) return deploy(verb, question, options, context);
      if (verb !== 'preview' && verb !== 'up') {
        throw new GatehouseError('option_conflict.one_at_a_time', { values: { verb } });
      }
      const { deployStacks } = await import('./several-deployments.ts');
      return deployStacks(verb, options, context);
    });
}

async function deploy(
  verb: OperationResult['verb'],
  question: string,
  options: DeploymentOptions,
  { terminal, openEngine }: CommandContext,
): Promise<void> {
  const policyPacks = policyPacksOf(options, terminal);
  // Loaded here, so that --help and the other commands need not wait for it.
  const [operations, { openWithToken }, { checkReady }, { select }, text] = await Promise.all([
    import('../deployment/deployment.ts'),
    import('../open/service-token.ts'),
    import('../deployment/check-ready.ts'),
    import('../deployment/selection.ts'),
    import('./deployment-text.ts'),
  ]);
  const operate: Operate = operations[verb];
  const { stdout, stderr } = terminal;
  const { json, verbose = false } = options;
  const { stack, env } = await openWithToken(options.cwd, options.stack, terminal.env);
  const style = styleFor(stdout, env);
  const isJudged = verb === 'preview' || verb === 'up';
  await withProgress(terminal, async (progress) => {
    const { engine, warning } = await openEngine(options, stack, env);
    const replaying = await replayRequest(options, stack, terminal, env);
    if (warning !== undefined) say(terminal, 'warning', warning);
    progress.say(`${stack.project}/${stack.name}: starting …`);
    let review: Review | undefined;
    let prepared: ReturnType<typeof prepareReview> | undefined;
    let isPlanned = false;
    let shown: DeploymentResult | undefined;
    let isApplying = false;
    // A terminal shows progress. A file or a pipe has a line as each step ends. A refresh has no such steps.
    const isWritten = !json && verb !== 'refresh' && !(stdout.isTTY && stderr.isTTY);
    const writeStep = (event: DeploymentEvent) => {
      if (event.type !== 'step-done' && event.type !== 'step-failed') return;
      const line = text.stepText(event.step);
      if (line === undefined) return;
      progress.clear();
      stdout.write(`${line}\n`);
    };
    // While the plan is made, its tree is shown.
    const onRead = (done: number, of: number) => {
      if (isPlanned) progress.onRead(done, of);
    };
    const prepareReview = async () => {
      const { reviewDeployment, reviewSettings } = await import('../review/review-stack.ts');
      const limits = { ...limitsOf(options), onRead };
      return { reviewDeployment, settings: await reviewSettings(stack, env, limits, options.base) };
    };
    const judge = async (plan: DeploymentResult): Promise<Review> => {
      isPlanned = true;
      const { reviewDeployment, settings } = await (prepared ?? prepareReview());
      const allowed = { ...settings.options, allowReplace: options.allowReplace === true };
      review = await reviewDeployment(stack, plan, allowed, env, replaying);
      progress.clear();
      return review;
    };
    const check = async (plan: DeploymentResult) => {
      const { checkPlan } = await import('../deployment/check-plan.ts');
      return await checkPlan(stack, plan, env);
    };
    const requireSigned = async (plan: DeploymentResult) => {
      const { requireReviewed } = await import('../statement/require-reviewed.ts');
      const files = (options.requireReview ?? []).map((file) => resolve(terminal.cwd, file));
      const signers = await requireReviewed(stack, plan, { files, base: options.base }, env);
      if (signers.length > 0) writeText(stderr, env, `Reviewed and signed by ${signers.join(', ')}.\n`);
    };
    const show = (result: OperationResult, all = verbose) => {
      progress.clear();
      const isNamed = result.applied && (shown !== undefined || isWritten);
      writeText(stdout, env, text.deploymentText(result, { style, verbose: all, isNamed }));
      const diagnostics = text.newDiagnostics(result, result.applied ? shown : undefined);
      writeText(stderr, env, text.diagnosticsText(diagnostics, styleFor(stderr, env), all));
    };
    const showReview = async (given: Review, all = verbose) => {
      if (json || given.resources.changed === 0) return;
      const { reviewText } = await import('../review/review-text.ts');
      progress.clear();
      writeText(stdout, env, `\n${reviewText(given, style, { columns: widthOf(stdout, env), all })}\n`);
    };
    const showPlan = async (plan: DeploymentResult, all = verbose) => {
      if (json) return;
      show({ verb, outcome: 'succeeded', applied: false, deployment: plan }, all);
      shown = plan;
      if (review !== undefined) await showReview(review, all);
    };
    // Refresh and destroy work from the state, even if the configuration has errors.
    if (isJudged) await checkReady(stack, env);
    if (options.preflight && !(await couldSignIn(stack, terminal, () => progress.clear()))) return;
    const approval = approvalOf(options, terminal);
    const imports = await readImports(stack, options, terminal);
    const { target = [], exclude = [], parallel, continueOnError, refresh = false } = options;
    const selected = await select({ stack, verb, target, exclude, imports }, engine);
    const how = { refresh, parallel, continueOnError, imports, policyPacks, approval };
    const result = await operate({ stack, ...how, ...selected }, engine, {
      onRun: ({ dryRun }) => {
        isApplying = !dryRun;
        progress.begin(doing[dryRun ? 'preview' : verb]);
      },
      onEvent: (event) => {
        progress.onEvent(event);
        if (isWritten && isApplying) writeStep(event);
        if (prepared !== undefined || !isJudged) return;
        // The program has begun, and is busy for a while. Whether this failed is asked when it is needed.
        prepared = prepareReview();
        prepared.catch(() => {});
      },
      review: async (plan) => {
        const [given, checked] = await Promise.all([judge(plan), check(plan)]);
        const { requireApplicable, requireDeclared } = await import('./take-over.ts');
        const { takeOver = [] } = options;
        // What a plan is about takes long to name: only where something is looked for in it.
        if (takeOver.length > 0) requireDeclared(takeOver, await subjectsIn(plan));
        for (const note of checked.notes) say(terminal, 'warning', note);
        requireApplicable(given.taken, takeOver, checked.failures);
        const { hasFindingsAt } = await import('@gatehouse/core/review');
        const isGood = !hasFindingsAt(given, 'error');
        await showPlan(plan);
        if (isGood) await requireSigned(plan);
        return isGood;
      },
      confirm: async (plan) => {
        if (review === undefined) await showPlan(plan);
        return askWithDetails(terminal, question, () => showPlan(plan, true));
      },
    });
    progress.clear();
    let next: string | undefined;
    if (verb === 'preview' && result.outcome === 'succeeded') {
      const [given, { failures, notes }, { hasFindingsAt }, { hasChanges }, { nextCommand }] =
        await Promise.all([
          judge(result.deployment),
          check(result.deployment),
          import('@gatehouse/core/review'),
          import('../deployment/change-tree.ts'),
          import('./next-command.ts'),
        ]);
      for (const text of [...failures, ...notes]) say(terminal, 'warning', text);
      const isRefused = hasFindingsAt(given, 'error') || given.taken.length + failures.length > 0;
      const found = { hasChanges: hasChanges(result.deployment.steps), isRefused };
      next = nextCommand({ stack: stack.name, ...found }, options);
    }
    if (json) stdout.write(jsonText(await deploymentJson(stack, result, review)));
    else if (result.outcome === 'declined') stderr.write('Nothing was changed.\n');
    else if (result.outcome === 'refused') say(terminal, 'error', refusal);
    else {
      show(result);
      if (verb === 'preview' && review !== undefined) await showReview(review);
      if (next !== undefined) writeText(stdout, env, `\n${printable(next)}\n`);
    }
    terminal.exitCode = exitCodes[result.outcome];
  });
}

/** Says what the identity providers refuse. @returns false, with its exit code, if there is something */
async function couldSignIn(
  stack: ApprovedRequest['stack'],
  terminal: Terminal,
  beforeText: () => void,
): Promise<boolean> {
  const [{ preflightStack }, { checksText }] = await Promise.all([
    import('../verify/preflight.ts'),
    import('../verify/checks-text.ts'),
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

/** What a plan is about, as it is named. */
async function subjectsIn({ steps }: DeploymentResult): Promise<Subject[]> {
  const { subjectOf } = await import('../terminal/subject-of.ts');
  const resources = steps.flatMap(({ newState, oldState }) => newState ?? oldState ?? []);
  return resources.flatMap((one) => subjectOf(one, resources) ?? []);
}

/** What is in progress. */
const doing = { preview: 'Planning', up: 'Applying', refresh: 'Reading', destroy: 'Deleting' };

async function readImports(
  stack: ApprovedRequest['stack'],
  { import: file }: DeploymentOptions,
  { cwd }: Terminal,
) {
  if (file === undefined) return undefined;
  const { readImportFile } = await import('../adopt/import-file.ts');
  return await readImportFile(resolve(cwd, file), stack);
}

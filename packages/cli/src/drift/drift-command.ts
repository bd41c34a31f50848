import type { Review } from '@gatehouse/core/review';
import { readBudget } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import type { DeploymentResult, OperationResult } from '../deployment/deployment.ts';
import type { CheckOutcome } from '../open/check.ts';
import { type OpenedStack, resultsOf } from '../open/stack-outcomes.ts';
import {
  type AddCommand,
  type CommandContext,
  type EngineOptions,
  jsonText,
  type SeveralOptions,
  withProgress,
} from '../terminal/command.ts';
import { ofEachStack, refuseForSeveral, tellStacks } from '../terminal/each-stack.ts';
import type { StackForms } from '../terminal/many-stacks-text.ts';
import type { Progress } from '../terminal/progress.ts';
import { styleFor } from '../terminal/style.ts';
import { askYesOrNo, ExitCode, isInteractive, type Terminal, widthOf } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import type { DriftReport } from './drift.ts';
import type { DriftFix } from './fix-drift.ts';

interface DriftOptions extends SeveralOptions, EngineOptions {
  unmanaged?: boolean;
  only?: 'access';
  preflight?: boolean;
  fix?: boolean;
  yes?: boolean;
}

export const addDrift: AddCommand = (program, context) => {
  program
    .add('drift', 'show where the service differs from what is declared', [
      'gatehouse drift -s prod',
      'gatehouse drift -s prod --unmanaged --json',
      'gatehouse drift -s dev --fix',
      "gatehouse drift -s 'prod-*' --unmanaged",
    ])
    .option('--unmanaged', 'undeclared things elsewhere on the service are drift, too')
    .choice('--only <what>', 'leave out titles, texts and descriptions', ['access'])
    .option('--preflight', 'also ask the identity providers whether people could sign in')
    .option('--fix', 'apply only what differs; asks first')
    .option('-y, --yes', 'with --fix: do not ask')
    .withStack()
    .withEngine()
    .withSeveral()
    .note(
      'Exit code 2: something differs or was added, a promise does not hold, access should have ended, or (--preflight) a provider refuses. 1: something cannot be read.',
    )
    .action((options: DriftOptions) => runDrift(options, context));
};

/** What a stack's service has otherwise than declared, and whether people could sign in. */
interface ComparedStack {
  opened: OpenedStack;
  report: DriftReport;
  /** With `--preflight`. */
  checks: CheckOutcome[] | undefined;
}

async function runDrift(options: DriftOptions, context: CommandContext): Promise<void> {
  refuseForSeveral(options, ['--fix', '--preflight']);
  const { terminal } = context;
  // These modules load while the stacks are read.
  const loading = comparing(options, context);
  const how = { doing: 'Reading', needsToken: true };
  const compared = await ofEachStack(options, terminal, how, async (opened, progress) => {
    const compare = await loading;
    const [report, checks] = await Promise.all([
      compare(opened, progress),
      options.preflight ? preflightChecks(opened.stack, terminal.env) : undefined,
    ]);
    return { opened, report, checks };
  });
  const fixable = options.fix
    ? resultsOf(compared).filter(({ report }) => report.differences.length > 0)
    : [];
  const isOneObject = options.json && fixable.length > 0;
  if (!isOneObject) await tellStacks(compared, await driftForms(), options, terminal);
  const compare = await loading;
  for (const comparedStack of fixable) {
    await withProgress(terminal, (progress) => fixStack(comparedStack, compare, options, context, progress));
  }
}

type Compare = (opened: OpenedStack, progress: Progress) => Promise<DriftReport>;

/** Loads what compares a stack with its service. */
async function comparing(options: DriftOptions, { openEngine }: CommandContext): Promise<Compare> {
  const [{ drift }, { openMade }] = await Promise.all([
    import('./drift.ts'),
    import('../open/open-state.ts'),
  ]);
  const { unmanaged = false, only } = options;
  const comparison = { unmanaged, accessOnly: only === 'access' };
  return async ({ stack, env }, progress) => {
    progress.say(`${stack.project}/${stack.name}: reading the service …`);
    const fromState = await openMade(stack, env, openEngine, options);
    return drift({ stack, env, fromState, ...comparison, onRead: progress.onRead });
  };
}

async function driftForms(): Promise<StackForms<ComparedStack>> {
  const [{ driftText }, { driftExitCode }, { checksText }] = await Promise.all([
    import('./drift-text.ts'),
    import('./drift-exit-code.ts'),
    import('../verify/checks-text.ts'),
  ]);
  return {
    json: ({ report, checks }) => ({ ...report, ...(checks && { checks }) }),
    text: ({ report, checks }, heading = report.address, style, columns) => {
      const text = driftText({ ...report, address: heading }, style, columns);
      return checks === undefined ? text : `${text}\n${checksText(checks, style)}`;
    },
    exitCode: ({ report, checks }) => driftExitCode(report, checks),
  };
}

/** Checks the sign-in of people. Its code is loaded only where it is asked for. */
async function preflightChecks(stack: Stack, env: NodeJS.ProcessEnv): Promise<CheckOutcome[]> {
  const { preflightStack } = await import('../verify/preflight.ts');
  return await preflightStack(stack, env);
}

/** Applies what differs, and compares once more: that alone tells what a fix has done. */
async function fixStack(
  { opened, report, checks }: ComparedStack,
  compare: Compare,
  options: DriftOptions,
  context: CommandContext,
  progress: Progress,
): Promise<void> {
  const { terminal } = context;
  const { stdout, stderr } = terminal;
  const { env } = opened;
  const [{ notPutBack }, { driftText, fixText, keptText }, { driftExitCode }] = await Promise.all([
    import('./fix-drift.ts'),
    import('./drift-text.ts'),
    import('./drift-exit-code.ts'),
  ]);
  if (!options.json) writeText(stdout, env, `\n${fixText(report.differences)}`);
  const fixed = await fix(report, opened, options, context, progress);
  const after = fixed.result?.outcome === 'succeeded' ? await compare(opened, progress) : undefined;
  const kept = after === undefined ? [] : notPutBack(after);
  progress.clear();
  if (options.json) {
    const fixFields = { fixed: fixed.result?.outcome ?? 'nothing', kept };
    stdout.write(jsonText({ ...report, ...(checks && { checks }), ...fixFields, ...(after && { after }) }));
  } else if (after !== undefined) {
    writeText(stdout, env, `\n${driftText(after, styleFor(stdout, env), widthOf(stdout, env))}`);
  }
  if (kept.length > 0) stderr.write(keptText(kept));
  terminal.exitCode =
    fixed.result?.outcome === 'failed' ? ExitCode.error : driftExitCode(after ?? report, checks);
}

async function fix(
  report: DriftReport,
  { stack, env }: OpenedStack,
  options: DriftOptions,
  { terminal, openEngine }: CommandContext,
  progress: Progress,
): Promise<DriftFix> {
  const [{ fixDrift }, show] = await Promise.all([
    import('./fix-drift.ts'),
    resultPrinter(options, terminal, env, progress),
  ]);
  const { stdout, stderr } = terminal;
  const { json } = options;
  const { engine } = await openEngine(options, stack, env);
  const approval = options.yes ? 'given' : isInteractive(terminal) && !json ? 'ask' : 'none';
  const fixed = await fixDrift(report, { stack, approval }, engine, {
    onRun: ({ dryRun }) => progress.begin(dryRun ? 'Planning' : 'Applying'),
    onEvent: (event) => progress.onEvent(event),
    review: async (plan) => {
      progress.clear();
      const [{ review, hasErrors }, { reviewText }] = await Promise.all([
        reviewFix(plan, { stack, env }),
        import('../review/review-text.ts'),
      ]);
      show({ verb: 'up', outcome: 'succeeded', applied: false, deployment: plan });
      if (!json) {
        const text = reviewText(review, styleFor(stdout, env), { columns: widthOf(stdout, env) });
        writeText(stdout, env, `\n${text}\n`);
      }
      return !hasErrors;
    },
    confirm: () => askYesOrNo(terminal, 'Make these changes?'),
  });
  progress.clear();
  const { outcome } = fixed.result ?? {};
  if (fixed.result !== undefined && outcome !== 'declined' && outcome !== 'refused') show(fixed.result);
  if (outcome === 'refused') stderr.write('The review found errors, so nothing was changed.\n');
  if (fixed.unknown.length > 0) {
    const names = fixed.unknown.map(({ type, name }) => `${type} ${name}`).join(', ');
    stderr.write(`Not in the state of the stack. Run up to create: ${names}\n`);
  }
  return fixed;
}

/** Prints the plan of a fix, and then its result without the names and diagnostics that the plan had. */
async function resultPrinter(
  { json, verbose = false }: DriftOptions,
  { stdout, stderr }: Terminal,
  env: NodeJS.ProcessEnv,
  progress: Progress,
): Promise<(result: OperationResult) => void> {
  const { deploymentText, diagnosticsText, newDiagnostics } = await import('../up/deployment-text.ts');
  let plan: DeploymentResult | undefined;
  return (result) => {
    progress.clear();
    const style = styleFor(stdout, env);
    if (!json)
      writeText(stdout, env, deploymentText(result, { style, verbose, isNamed: plan !== undefined }));
    stderr.write(diagnosticsText(newDiagnostics(result, plan), styleFor(stderr, env), verbose));
    if (!result.applied) plan = result.deployment;
  };
}

/** Reviews the plan of a fix. @throws GatehouseError where the service would refuse it */
async function reviewFix(
  plan: DeploymentResult,
  { stack, env }: OpenedStack,
): Promise<{ review: Review; hasErrors: boolean }> {
  const [{ reviewDeployment, reviewSettings }, { hasFindingsAt }, { checkPlan }, { requireApplicable }] =
    await Promise.all([
      import('../review/review-stack.ts'),
      import('@gatehouse/core/review'),
      import('../deployment/check-plan.ts'),
      import('../up/take-over.ts'),
    ]);
  const settings = await reviewSettings(stack, env, { budget: readBudget });
  const [review, { failures }] = await Promise.all([
    reviewDeployment(stack, plan, { ...settings.options, isRestoring: true }, env),
    checkPlan(stack, plan, env),
  ]);
  requireApplicable([], [], failures);
  return { review, hasErrors: hasFindingsAt(review, 'error') };
}

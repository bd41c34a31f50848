import type { Review } from '@gatehouse/core/review';
import { readBudget } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import type { DeploymentResult, OperationResult } from '../deployment/deployment.ts';
import type { Check } from '../open/check.ts';
import {
  type AddCommand,
  type CommandContext,
  type EngineOptions,
  jsonText,
  type SeveralOptions,
  withProgress,
} from '../terminal/command.ts';
import type { Told } from '../terminal/many-stacks-text.ts';
import type { Progress } from '../terminal/progress.ts';
import { areSeveral, ofSeveral, refuseForSeveral, tellSeveral } from '../terminal/several-stacks.ts';
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
    .action((options: DriftOptions) =>
      areSeveral(options) ? runDriftOfSeveral(options, context) : runDrift(options, context),
    );
};

const comparisonOf = ({ unmanaged = false, only }: DriftOptions) => ({
  unmanaged,
  accessOnly: only === 'access',
});

/** Drift of several stacks, in one process; nothing is fixed. */
async function runDriftOfSeveral(
  options: DriftOptions,
  { terminal, openEngine }: CommandContext,
): Promise<void> {
  refuseForSeveral(options, ['--fix', '--preflight']);
  // These modules load while the stacks are read.
  const loading = Promise.all([import('./drift.ts'), import('../open/open-state.ts')]);
  const how = { doing: 'Reading', needsToken: true };
  const reports = await ofSeveral(options, terminal, how, async (opened) => {
    const [{ drift }, { openMade }] = await loading;
    const fromState = await openMade(opened.stack, opened.env, openEngine, options);
    return drift({ ...opened, fromState, ...comparisonOf(options) });
  });
  const { driftText, isDrift } = await import('./drift-text.ts');
  const forms: Told<DriftReport> = {
    json: (report) => report,
    text: (report, address, ...layout) => driftText({ ...report, address }, ...layout),
    exitCode: (report) => exitCodeOfDrift(report, report.known.some(isDrift)),
  };
  await tellSeveral(reports, forms, options, terminal);
}

async function runDrift(options: DriftOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const { stdout, stderr } = terminal;
  const [
    { drift },
    { notPutBack },
    { openMade },
    { openWithToken },
    { driftText, fixText, isDrift, keptText },
    { checksText },
  ] = await Promise.all([
    import('./drift.ts'),
    import('./fix-drift.ts'),
    import('../open/open-state.ts'),
    import('../open/service-token.ts'),
    import('./drift-text.ts'),
    import('../verify/checks-text.ts'),
  ]);
  const { stack, env } = await openWithToken(options.cwd, options.stack, terminal.env);
  await withProgress(terminal, async (progress) => {
    const compare = async (): Promise<DriftReport> => {
      progress.say(`${stack.project}/${stack.name}: reading the service …`);
      const fromState = await openMade(stack, env, context.openEngine, options);
      return drift({ stack, env, fromState, ...comparisonOf(options), onRead: progress.onRead });
    };
    const [report, checks] = await Promise.all([
      compare(),
      options.preflight ? preflightChecks(stack, terminal.env) : undefined,
    ]);
    progress.clear();
    const style = styleFor(stdout, env);
    if (!options.json) {
      writeText(stdout, env, driftText(report, style, widthOf(stdout, env)));
      if (checks !== undefined) writeText(stdout, env, `\n${checksText(checks, style)}`);
    }
    const isFixed = options.fix && report.differences.length > 0;
    if (isFixed && !options.json) writeText(stdout, env, `\n${fixText(report.differences)}`);
    const fixed = isFixed ? await fix(report, { stack, env }, options, context, progress) : undefined;
    // What a fix has done is known by comparing once more.
    const after = fixed?.result?.outcome === 'succeeded' ? await compare() : undefined;
    const kept = after === undefined ? [] : notPutBack(after);
    progress.clear();
    if (options.json) {
      const fixFields = fixed && { fixed: fixed.result?.outcome ?? 'nothing', kept };
      stdout.write(jsonText({ ...report, ...(checks && { checks }), ...fixFields, ...(after && { after }) }));
    } else if (after !== undefined)
      writeText(stdout, env, `\n${driftText(after, style, widthOf(stdout, env))}`);
    if (kept.length > 0) stderr.write(keptText(kept));
    const isRefused = checks?.some(({ outcome }) => outcome === 'failed') === true;
    const remaining = after ?? report;
    const exitCode =
      fixed?.result?.outcome === 'failed'
        ? ExitCode.error
        : exitCodeOfDrift(remaining, remaining.known.some(isDrift));
    terminal.exitCode = exitCode || (isRefused ? ExitCode.no : ExitCode.ok);
  });
}

/** Checks the sign-in of people. Its code is loaded only where it is asked for. */
async function preflightChecks(stack: Stack, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const { preflightStack } = await import('../verify/preflight.ts');
  return await preflightStack(stack, env);
}

/** A stack, and the environment in which its service is talked to. */
interface StackToFix {
  stack: Stack;
  env: NodeJS.ProcessEnv;
}

async function fix(
  report: DriftReport,
  { stack, env }: StackToFix,
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
  { stack, env }: StackToFix,
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

function exitCodeOfDrift(report: DriftReport, isKnownChanged: boolean): ExitCode {
  const { differences, unmanaged, isUnmanagedDrift, unverifiable, promises, ended } = report;
  const drifted = [differences, isUnmanagedDrift ? unmanaged : [], promises, ended].flat();
  if (drifted.length > 0 || isKnownChanged) return ExitCode.no;
  return unverifiable.length > 0 ? ExitCode.error : ExitCode.ok;
}

import { Option } from 'commander';
import { readBudget } from '../../core/model/values/budget.ts';
import type { Check } from '../../operations/check.ts';
import type { OperationResult } from '../../operations/deployment.ts';
import type { DriftReport } from '../../operations/drift.ts';
import type { DriftFix } from '../../operations/fix-drift.ts';
import type { Progress } from '../rendering/progress.ts';
import { ExitCode, isInteractive, widthOf } from '../rendering/terminal.ts';
import { writeText } from '../rendering/wrap.ts';
import {
  type AddCommand,
  addCommand,
  type CommandContext,
  type EngineOptions,
  withEngine,
  withStack,
} from './command.ts';
import {
  areSeveral,
  ofSeveral,
  refuseForSeveral,
  type SeveralOptions,
  tellSeveral,
  withSeveral,
} from './several-stacks.ts';

type Stack = Parameters<CommandContext['openEngine']>[1];

interface DriftOptions extends SeveralOptions, EngineOptions {
  unmanaged?: boolean;
  only?: 'access';
  preflight?: boolean;
  fix?: boolean;
  yes?: boolean;
}

export const addDrift: AddCommand = (program, context) => {
  const command = addCommand(program, 'drift', 'show where the service differs from what is declared', [
    'gatehouse drift -s prod',
    'gatehouse drift -s prod --unmanaged --json',
    'gatehouse drift -s dev --fix',
    "gatehouse drift -s 'prod-*' --unmanaged",
  ])
    .option('--unmanaged', 'also show what is on the service but not declared')
    .addOption(new Option('--only <what>', 'leave out titles, texts and descriptions').choices(['access']))
    .option('--preflight', 'also ask the identity providers whether people could sign in')
    .option('--fix', 'apply only what differs; asks first')
    .option('-y, --yes', 'with --fix: do not ask')
    .addHelpText(
      'after',
      '\nExit code 2: something differs, a promise does not hold, access should have ended, or (--preflight) a provider refuses. 1: something cannot be read.',
    );
  withSeveral(withEngine(withStack(command))).action((options: DriftOptions) =>
    areSeveral(options) ? runSeveral(options, context) : run(options, context),
  );
};

/** Drift of several stacks, in one process; nothing is fixed. */
async function runSeveral(options: DriftOptions, { terminal }: CommandContext): Promise<void> {
  refuseForSeveral(options, ['--fix', '--preflight']);
  const [{ drift }, { driftText, isDrift }, { headingOf }, { styleFor }] = await Promise.all([
    import('../../operations/drift.ts'),
    import('../rendering/drift-text.ts'),
    import('../rendering/many-stacks-text.ts'),
    import('../rendering/style.ts'),
  ]);
  const { stdout, env } = terminal;
  const asked = { unmanaged: options.unmanaged === true, accessOnly: options.only === 'access' };
  const found = await ofSeveral(options, terminal, { doing: 'Reading', needsToken: true }, (opened) =>
    drift({ ...opened, ...asked }),
  );
  const style = styleFor(stdout, env);
  const told = {
    json: (report: DriftReport) => report,
    text: (report: DriftReport, names: readonly string[]) =>
      driftText({ ...report, address: headingOf(names) }, style, widthOf(stdout, env)),
    exitCode: (report: DriftReport) => exitCodeOf(report, undefined, report.known.some(isDrift)),
  };
  await tellSeveral(found, told, options, terminal);
}

async function run(options: DriftOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const [{ drift }, { openWithToken }, { Progress }, { styleFor }, { driftText, isDrift }] =
    await Promise.all([
      import('../../operations/drift.ts'),
      import('../../operations/service-token.ts'),
      import('../rendering/progress.ts'),
      import('../rendering/style.ts'),
      import('../rendering/drift-text.ts'),
    ]);
  const { stack, env } = await openWithToken(options.cwd, options.stack, terminal.env);
  const progress = new Progress(terminal);
  progress.say(`${stack.project}/${stack.name}: reading the service …`);
  let report: DriftReport;
  let checks: Check[] | undefined;
  try {
    [report, checks] = await Promise.all([
      drift({
        stack,
        env,
        unmanaged: options.unmanaged === true,
        accessOnly: options.only === 'access',
        onRead: progress.onRead,
      }),
      options.preflight ? asked(stack, terminal.env) : undefined,
    ]);
  } finally {
    progress.clear();
  }
  const style = styleFor(terminal.stdout, terminal.env);
  if (!options.json) {
    writeText(
      terminal.stdout,
      terminal.env,
      driftText(report, style, widthOf(terminal.stdout, terminal.env)),
    );
    if (checks !== undefined) {
      const { checksText } = await import('../rendering/checks-text.ts');
      writeText(terminal.stdout, terminal.env, `\n${checksText(checks, style)}`);
    }
  }
  const fixed =
    options.fix && report.differences.length > 0
      ? await fix(report, { stack, env }, options, context, progress)
      : undefined;
  if (options.json)
    terminal.stdout.write(
      `${JSON.stringify({ ...report, ...(checks && { checks }), ...jsonOf(fixed) }, null, 4)}\n`,
    );
  const isRefused = checks?.some(({ outcome }) => outcome === 'failed') === true;
  terminal.exitCode =
    exitCodeOf(report, fixed, report.known.some(isDrift)) || (isRefused ? ExitCode.no : ExitCode.ok);
}

/** Loaded only where it is asked for. */
async function asked(stack: Stack, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const { preflightStack } = await import('../../operations/preflight.ts');
  return await preflightStack(stack, env);
}

async function fix(
  report: DriftReport,
  { stack, env }: { stack: Stack; env: NodeJS.ProcessEnv },
  options: DriftOptions,
  { terminal, openEngine }: CommandContext,
  progress: Progress,
): Promise<DriftFix> {
  const [{ fixDrift }, { styleFor }, text, { askYesOrNo }] = await Promise.all([
    import('../../operations/fix-drift.ts'),
    import('../rendering/style.ts'),
    import('../rendering/deployment-text.ts'),
    import('../rendering/terminal.ts'),
  ]);
  const style = styleFor(terminal.stdout, terminal.env);
  const verbose = options.verbose === true;
  const show = (result: OperationResult) => {
    progress.clear();
    if (!options.json)
      writeText(terminal.stdout, terminal.env, text.deploymentText(result, { style, verbose }));
    terminal.stderr.write(
      text.diagnosticsText(result.deployment.diagnostics, styleFor(terminal.stderr, terminal.env), verbose),
    );
  };
  const { engine } = await openEngine(options, stack, env);
  const approval = options.yes ? 'given' : isInteractive(terminal) && !options.json ? 'ask' : 'none';
  const fixed = await fixDrift(report, { stack, approval }, engine, {
    onRun: ({ dryRun }) => progress.begin(dryRun ? 'Planning' : 'Applying'),
    onEvent: (event) => progress.onEvent(event),
    review: async (plan) => {
      progress.clear();
      const [{ reviewDeployment, reviewSettings }, { hasFindingsAt }, { reviewText }] = await Promise.all([
        import('../../operations/review/review-stack.ts'),
        import('../../core/review/review.ts'),
        import('../rendering/review-text.ts'),
      ]);
      const settings = await reviewSettings(stack, env, { budget: readBudget });
      const review = await reviewDeployment(stack, plan, settings.options, env);
      if (!options.json)
        writeText(
          terminal.stdout,
          terminal.env,
          `\n${reviewText(review, style, { columns: widthOf(terminal.stdout, terminal.env) })}\n`,
        );
      return !hasFindingsAt(review, 'error');
    },
    confirm: (deployment) => {
      show({ verb: 'up', outcome: 'succeeded', applied: false, deployment });
      return askYesOrNo(terminal, 'Make these changes?');
    },
  });
  progress.clear();
  if (fixed.result !== undefined && fixed.result.outcome !== 'declined') show(fixed.result);
  if (fixed.result?.outcome === 'refused')
    terminal.stderr.write('The review found errors, so nothing was changed.\n');
  if (fixed.unknown.length > 0) {
    const names = fixed.unknown.map(({ type, name }) => `${type} ${name}`).join(', ');
    terminal.stderr.write(`Not in the state of the stack. Run up to create: ${names}\n`);
  }
  return fixed;
}

function jsonOf(fixed: DriftFix | undefined): { fixed?: string } {
  return fixed === undefined ? {} : { fixed: fixed.result?.outcome ?? 'nothing' };
}

function exitCodeOf(report: DriftReport, fixed: DriftFix | undefined, isKnownChanged: boolean): ExitCode {
  const { differences, unmanaged, unverifiable, promises, ended } = report;
  if (fixed?.result?.outcome === 'failed') return ExitCode.error;
  const allFixed = fixed?.result?.outcome === 'succeeded' && fixed.unknown.length === 0;
  const open = allFixed ? differences.filter(({ isLeft }) => isLeft) : differences;
  const found = [open, unmanaged, promises, ended].flat();
  if (found.length > 0 || isKnownChanged) return ExitCode.no;
  return unverifiable.length > 0 ? ExitCode.error : ExitCode.ok;
}

import { InvalidArgumentError, Option } from 'commander';
import { readBudget } from '../../core/model/values/budget.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
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
  type StackOptions,
  withEngine,
  withStack,
} from './command.ts';

type Stack = Parameters<CommandContext['openEngine']>[1];

interface DriftOptions extends StackOptions, EngineOptions {
  unmanaged?: boolean;
  only?: 'access';
  preflight?: boolean;
  fix?: boolean;
  yes?: boolean;
  allStacks?: boolean;
  parallel: number;
}

export const addDrift: AddCommand = (program, context) => {
  const command = addCommand(program, 'drift', 'show where the service differs from what is declared', [
    'gatehouse drift -s prod',
    'gatehouse drift -s prod --unmanaged --json',
    'gatehouse drift -s dev --fix',
    "gatehouse drift -s 'prod-*' --unmanaged",
  ])
    .option('--all-stacks', 'all stacks of the project; -s takes a pattern as well: prod-*')
    .option('--parallel <number>', 'how many stacks are read at a time', parseParallel, 4)
    .option('--unmanaged', 'also show what is on the service but not declared')
    .addOption(new Option('--only <what>', 'leave out titles, texts and descriptions').choices(['access']))
    .option('--preflight', 'also ask the identity providers whether people could sign in')
    .option('--fix', 'apply only what differs; asks first')
    .option('-y, --yes', 'with --fix: do not ask')
    .addHelpText(
      'after',
      '\nExit code 2: something differs, a promise does not hold, access should have ended, or (--preflight) a provider refuses. 1: something cannot be read.',
    );
  withEngine(withStack(command)).action((options: DriftOptions) =>
    options.allStacks || options.stack?.includes('*') ? runMany(options, context) : run(options, context),
  );
};

function parseParallel(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be a whole number from 1 to 99');
}

/** Drift of several stacks, in one process; nothing is fixed. */
async function runMany(options: DriftOptions, { terminal }: CommandContext): Promise<void> {
  if (options.fix || options.preflight) {
    throw new GatehouseError({
      code: 'option_conflict',
      what: '--fix and --preflight are for one stack',
      fix: 'Name the stack with --stack.',
    });
  }
  const [{ drift }, { openWithToken }, { ofEach, stacksMatching }, { Progress }, { styleFor }, text] =
    await Promise.all([
      import('../../operations/drift.ts'),
      import('../../operations/service-token.ts'),
      import('../../operations/many-stacks.ts'),
      import('../rendering/progress.ts'),
      import('../rendering/style.ts'),
      import('../rendering/many-stacks-text.ts'),
    ]);
  const { stdout, env } = terminal;
  const stacks = await stacksMatching(options.cwd, options.allStacks ? '*' : (options.stack ?? '*'));
  const progress = new Progress(terminal);
  progress.say(`reading the services of ${stacks.length} stacks …`);
  const found = await ofEach(stacks, options.parallel, async (name) => {
    return drift({
      ...(await openWithToken(options.cwd, name, env)),
      ...{ unmanaged: options.unmanaged === true, accessOnly: options.only === 'access' },
    });
  }).finally(() => progress.clear());
  if (options.json) {
    const stacksFound = found.map((one) =>
      'result' in one
        ? { stack: one.stack, ...one.result }
        : { stack: one.stack, problem: { code: one.problem.code, message: one.problem.message } },
    );
    stdout.write(`${JSON.stringify({ stacks: stacksFound }, null, 4)}\n`);
  } else writeText(stdout, env, text.manyDriftText(found, styleFor(stdout, env), widthOf(stdout, env)));
  const { isDrift } = await import('../rendering/drift-text.ts');
  const codes = found.map((one) =>
    'result' in one ? exitCodeOf(one.result, undefined, one.result.known.some(isDrift)) : ExitCode.error,
  );
  terminal.exitCode = [ExitCode.error, ExitCode.no].find((code) => codes.includes(code)) ?? ExitCode.ok;
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

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Review } from '../../core/review/review.ts';
import type {
  DeploymentResult,
  OperationRequest,
  OperationResult,
  Sink,
} from '../../operations/deployment.ts';
import { ExitCode, isInteractive, type Terminal } from '../rendering/terminal.ts';
import {
  type CommandContext,
  type EngineOptions,
  type StackOptions,
  withEngine,
  withStack,
} from './command.ts';

export interface DeploymentOptions extends StackOptions, EngineOptions {
  target?: string[];
  refresh?: boolean;
  import?: string;
  yes?: boolean;
}

/** What `--json` prints, for the help of a command that applies. */
export const appliedJsonHelp =
  '\n--json prints what pulumi preview --json prints, plus outputs and result (succeeded, failed).';

export interface ApprovalRequest extends OperationRequest {
  approval: 'given' | 'ask' | 'none';
}

/** An operation of `operations/`, with its engine. */
export type Operate = (
  request: ApprovalRequest,
  engine: import('../../operations/engines.ts').OpenedEngine['engine'],
  sink: Sink,
) => Promise<OperationResult>;

/** What preview, up, refresh and destroy have in common: open the stack, run the engine, print what came of it. */
export function withDeployment(
  command: Command,
  verb: OperationResult['verb'],
  { terminal, openEngine }: CommandContext,
  question: string,
  loadOperation: () => Promise<Operate>,
): Command {
  return withEngine(withStack(command)).action(async (options: DeploymentOptions) => {
    // Loaded here, so that --help and the other commands need not wait for it.
    const [operate, { openStack }, { checkReady }, { Progress }, { styleFor }, text] = await Promise.all([
      loadOperation(),
      import('../../operations/open-stack.ts'),
      import('../../operations/check-ready.ts'),
      import('../rendering/progress.ts'),
      import('../rendering/style.ts'),
      import('../rendering/deployment-text.ts'),
    ]);
    const style = styleFor(terminal.stdout, terminal.env);
    const errorStyle = styleFor(terminal.stderr, terminal.env);
    const verbose = options.verbose === true;
    const progress = new Progress(terminal);
    const stack = await openStack(resolve(terminal.cwd, options.cwd), options.stack, terminal.env);
    const { engine, warning } = await openEngine(options, stack, terminal.env);
    if (warning !== undefined) terminal.stderr.write(`${errorStyle.changed('warning:')} ${warning}\n`);

    let review: Review | undefined;
    const judge = async (plan: DeploymentResult): Promise<Review> => {
      const [{ reviewSettings }, { reviewDeployment }] = await Promise.all([
        import('../../operations/review/review-stack.ts'),
        import('../../operations/review/review-stack.ts'),
      ]);
      review = reviewDeployment(stack, plan, (await reviewSettings(stack, terminal.env)).options);
      return review;
    };
    const show = (result: OperationResult) => {
      progress.clear();
      terminal.stdout.write(text.deploymentText(result, { style, verbose }));
      terminal.stderr.write(text.diagnosticsText(result.deployment.diagnostics, errorStyle, verbose));
    };
    const showReview = async (given: Review) => {
      if (options.json || given.resources.changed === 0) return;
      const { reviewText } = await import('../rendering/review-text.ts');
      progress.clear();
      terminal.stdout.write(`\n${reviewText(given, style)}\n`);
    };
    const showPlan = (plan: DeploymentResult) =>
      show({ verb, outcome: 'succeeded', applied: false, deployment: plan });
    progress.say(`${stack.project}/${stack.name}: starting …`);
    try {
      // Refresh and destroy work from the state, so they need no configuration that holds together.
      if (verb === 'preview' || verb === 'up') await checkReady(stack, terminal.env);
      const imports =
        options.import === undefined
          ? undefined
          : await (await import('../../operations/adopt/import-file.ts')).readImportFile(
              resolve(terminal.cwd, options.import),
            );
      const approval = approvalOf(options, terminal);
      const result = await operate(
        {
          stack,
          refresh: options.refresh === true,
          targets: options.target ?? [],
          imports,
          approval,
        },
        engine,
        {
          onEvent: (event) => progress.onEvent(event),
          review: async (plan) => {
            const given = await judge(plan);
            const { hasFindingsAt } = await import('../../core/review/review.ts');
            const isGood = !hasFindingsAt(given, 'error');
            if (!options.json && (!isGood || approval === 'ask')) showPlan(plan);
            await showReview(given);
            return isGood;
          },
          confirm: async (plan) => {
            if (review === undefined) showPlan(plan);
            const { askYesOrNo } = await import('../rendering/terminal.ts');
            return askYesOrNo(terminal, question);
          },
        },
      );
      progress.clear();
      if (verb === 'preview' && result.outcome === 'succeeded') await judge(result.deployment);
      if (options.json) await printJson(stack, result, review, terminal);
      else if (result.outcome === 'declined') terminal.stderr.write('Nothing was changed.\n');
      else if (result.outcome === 'refused')
        terminal.stderr.write(`${errorStyle.removed('error:')} ${refusal}\n`);
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

const exitCodes: Record<OperationResult['outcome'], ExitCode> = {
  succeeded: ExitCode.ok,
  failed: ExitCode.error,
  declined: ExitCode.no,
  refused: ExitCode.no,
};

const refusal =
  'The review of this change found errors, so nothing was changed. Fix them, or turn a rule off and give the reason.';

function approvalOf({ yes, json }: DeploymentOptions, terminal: Terminal): ApprovalRequest['approval'] {
  if (yes) return 'given';
  return isInteractive(terminal) && !json ? 'ask' : 'none';
}

async function printJson(
  stack: OperationRequest['stack'],
  result: OperationResult,
  review: Review | undefined,
  terminal: Terminal,
): Promise<void> {
  const { appliedDigest, digest } = await import('../../operations/description/digest.ts');
  const { verb, deployment, outcome } = result;
  const printed = verb === 'preview' ? digest(stack, deployment) : appliedDigest(stack, deployment, outcome);
  const { jsonReport } = await import('../../core/review/reports/json.ts');
  const reviewed = review === undefined ? {} : { review: jsonReport(review, 'error') };
  terminal.stdout.write(`${JSON.stringify({ ...printed, ...reviewed }, null, 4)}\n`);
}

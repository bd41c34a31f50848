import { type OperationResult, requireApproval } from '../deployment/deployment.ts';
import type { OfStack } from '../open/stack-outcomes.ts';
import { type CommandContext, withProgress } from '../terminal/command.ts';
import { areSeveral, exitCodeOf, ofEachStack, refuseForSeveral } from '../terminal/each-stack.ts';
import type { Progress } from '../terminal/progress.ts';
import { askWithDetails, type Terminal } from '../terminal/terminal.ts';
import { applyInTurn, type WaitingStack } from './apply-in-turn.ts';
import { approvalOf, type DeploymentOptions, exitCodes, policyPacksOf } from './deployment-options.ts';
import type { DeploymentOutput, StackDeployment } from './deployment-output.ts';
import { OneStackOutput } from './one-stack-output.ts';
import { type StackPlan, startOnStack } from './stack-run.ts';

/** Options of `preview` and `up` that are about one stack. */
const singleOptions = [
  '--target',
  '--exclude',
  '--import',
  '--take-over',
  '--preflight',
  '--require-review',
  '--replay',
  '--show-people',
  '--hash-with',
];

/**
 * Does what a command asks for with its stacks, and reports it: plans each, asks once, and applies what is approved.
 *
 * @param question whether to apply the plan of one stack
 */
export async function deployStacks(
  verb: OperationResult['verb'],
  question: string,
  options: DeploymentOptions,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  refuseForSeveral(options, singleOptions);
  // Of one stack, the plan is refused where no one can approve it: it may change nothing.
  if (verb === 'up' && areSeveral(options)) requireApproval(verb, approvalOf(options, terminal));
  const policyPacks = policyPacksOf(options, terminal);
  await withProgress(terminal, async (progress) => {
    const output = areSeveral(options)
      ? await severalStacksOutput(verb, options, terminal, progress)
      : new OneStackOutput(verb, question, options, terminal, progress);
    const command = { verb, options, policyPacks, context, output };
    const how = { doing: 'Planning', needsToken: true, progress };
    const plans = await ofEachStack(options, terminal, how, (opened, stackProgress) =>
      startOnStack(command, opened, stackProgress),
    );
    if (plans.every(isStarted)) await applyApproved(plans, options, terminal, output);
  });
}

/** What several stacks need is loaded only for them. */
async function severalStacksOutput(
  ...parameters: [OperationResult['verb'], DeploymentOptions, Terminal, Progress]
): Promise<DeploymentOutput> {
  const { SeveralStacksOutput } = await import('./several-stacks-output.ts');
  return new SeveralStacksOutput(...parameters);
}

function isStarted(plan: OfStack<StackPlan | undefined>): plan is OfStack<StackPlan> {
  return 'problem' in plan || plan.result !== undefined;
}

async function applyApproved(
  plans: readonly OfStack<StackPlan>[],
  options: DeploymentOptions,
  terminal: Terminal,
  output: DeploymentOutput,
): Promise<void> {
  const waiting = plans.flatMap((outcome): WaitingStack[] =>
    'result' in outcome && outcome.result.waiting !== undefined
      ? [{ ...outcome, ...outcome.result, ...outcome.result.waiting }]
      : [],
  );
  let applied: OfStack<OperationResult>[] = [];
  try {
    if ((await output.allPlanned(plans)) && (await isApproved(plans, waiting, options, terminal, output))) {
      applied = await applyInTurn(waiting, options, output);
    }
  } finally {
    // No stack keeps waiting, whatever went wrong.
    for (const { go } of waiting) void go(false).catch(() => {});
  }
  const outcomes = requireOnly(outcomesOf(plans, applied), options);
  await output.ended(outcomes, applied.length > 0);
  terminal.exitCode = exitCodeOf(outcomes, ({ result }) => exitCodes[result.outcome]);
}

async function isApproved(
  plans: readonly OfStack<StackPlan>[],
  waiting: readonly WaitingStack[],
  { yes }: DeploymentOptions,
  terminal: Terminal,
  output: DeploymentOutput,
): Promise<boolean> {
  if (yes || waiting.length === 0) return true;
  const question = output.question(waiting.map(({ stack }) => stack));
  if (await askWithDetails(terminal, question, () => output.details(plans))) return true;
  terminal.stderr.write('Nothing was changed.\n');
  return false;
}

/** The outcome of each stack: applied or not started if it waited for approval, else as planned. */
function outcomesOf(
  plans: readonly OfStack<StackPlan>[],
  applied: readonly OfStack<OperationResult>[],
): OfStack<StackDeployment>[] {
  const ends = new Map(applied.map((outcome) => [outcome.stack, outcome]));
  return plans.map((plan): OfStack<StackDeployment> => {
    if ('problem' in plan || plan.result.waiting === undefined) return plan;
    const end = ends.get(plan.stack);
    if (end !== undefined && 'problem' in end) return end;
    const isTried = end !== undefined && end.result.outcome !== 'declined';
    const result: OperationResult = isTried ? end.result : { ...plan.result.result, outcome: 'declined' };
    return { ...plan, result: { ...plan.result, result, isWaiting: !isTried } };
  });
}

/** A command for one stack fails as the work for it does. @throws GatehouseError */
function requireOnly(
  outcomes: OfStack<StackDeployment>[],
  options: DeploymentOptions,
): OfStack<StackDeployment>[] {
  if (areSeveral(options)) return outcomes;
  for (const outcome of outcomes) if ('problem' in outcome) throw outcome.problem;
  return outcomes;
}

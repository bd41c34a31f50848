import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { OperationRequest, OperationResult, Sink } from '../operations/deployment.ts';
import {
  type CommandContext,
  type EngineOptions,
  type StackOptions,
  withEngine,
  withStack,
} from './command.ts';
import { ExitCode, isInteractive, type Terminal } from './terminal.ts';

export interface DeploymentOptions extends StackOptions, EngineOptions {
  target?: string[];
  refresh?: boolean;
  yes?: boolean;
}

/** What `--json` prints, for the help of a command that applies. */
export const appliedJsonHelp =
  '\nWith --json it prints what pulumi preview --json prints, and besides outputs and result (succeeded, failed).';

export interface ApprovalRequest extends OperationRequest {
  approval: 'given' | 'ask' | 'none';
}

/** An operation of `operations/`, with its engine. */
export type Operate = (
  request: ApprovalRequest,
  engine: import('../operations/engines.ts').OpenedEngine['engine'],
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
      import('../operations/open-stack.ts'),
      import('../operations/check-ready.ts'),
      import('./rendering/progress.ts'),
      import('./rendering/style.ts'),
      import('./rendering/deployment-text.ts'),
    ]);
    const style = styleFor(terminal.stdout, terminal.env);
    const errorStyle = styleFor(terminal.stderr, terminal.env);
    const verbose = options.verbose === true;
    const progress = new Progress(terminal);
    const stack = await openStack(resolve(terminal.cwd, options.cwd), options.stack, terminal.env);
    const { engine, warning } = await openEngine(options, stack, terminal.env);
    if (warning !== undefined) terminal.stderr.write(`${errorStyle.changed('warning:')} ${warning}\n`);

    const show = (result: OperationResult) => {
      progress.clear();
      terminal.stdout.write(text.deploymentText(result, { style, verbose }));
      terminal.stderr.write(text.diagnosticsText(result.deployment.diagnostics, errorStyle, verbose));
    };
    progress.say(`${stack.project}/${stack.name}: starting …`);
    try {
      // Refresh and destroy work from the state, so they need no configuration that holds together.
      if (verb === 'preview' || verb === 'up') await checkReady(stack, terminal.env);
      const result = await operate(
        {
          stack,
          refresh: options.refresh === true,
          targets: options.target ?? [],
          approval: approvalOf(options, terminal),
        },
        engine,
        {
          onEvent: (event) => progress.onEvent(event),
          confirm: async (plan) => {
            show({ verb, outcome: 'succeeded', applied: false, deployment: plan });
            const { askYesOrNo } = await import('./ask.ts');
            return askYesOrNo(terminal, question);
          },
        },
      );
      progress.clear();
      if (options.json) await printJson(stack, result, terminal);
      else if (result.outcome === 'declined') terminal.stderr.write('Nothing was changed.\n');
      else show(result);
      terminal.exitCode = { succeeded: ExitCode.ok, failed: ExitCode.error, declined: ExitCode.no }[
        result.outcome
      ];
    } finally {
      progress.clear();
    }
  });
}

function approvalOf({ yes, json }: DeploymentOptions, terminal: Terminal): ApprovalRequest['approval'] {
  if (yes) return 'given';
  return isInteractive(terminal) && !json ? 'ask' : 'none';
}

async function printJson(
  stack: OperationRequest['stack'],
  result: OperationResult,
  terminal: Terminal,
): Promise<void> {
  const { appliedDigest, digest } = await import('../operations/description/digest.ts');
  const { verb, deployment, outcome } = result;
  const printed = verb === 'preview' ? digest(stack, deployment) : appliedDigest(stack, deployment, outcome);
  terminal.stdout.write(`${JSON.stringify(printed, null, 4)}\n`);
}

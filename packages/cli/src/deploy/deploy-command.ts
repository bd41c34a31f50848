import type { RunDecision, RunView, TaskView } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import { type AddCommand, jsonText, type StackOptions } from '../terminal/command.ts';
import { printable, styleFor } from '../terminal/style.ts';
import { ask, ExitCode, isInteractive, type Terminal } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';

interface DeployOptions extends StackOptions {
  speculative?: boolean;
  allowUncommitted?: boolean;
  message?: string;
  address?: string;
}

export const addressHelp =
  'address of the platform (default: $GATEHOUSE_PLATFORM_ADDRESS, or http://127.0.0.1:8300)';

export const addDeploy: AddCommand = (program, { terminal }) => {
  program
    .add('deploy', 'deploy a stack through a platform, gated by its run tasks', [
      "gatehouse deploy -s prod -m 'New role for the shop'",
      'gatehouse deploy -s prod --speculative',
    ])
    .option('--speculative', 'plan only')
    .option('--allow-uncommitted', 'deploy even if files on the platform are not committed')
    .option('-m, --message <text>', 'reason, shown to people')
    .option('--address <url>', addressHelp)
    .withStack()
    .note(
      'VAULT_TOKEN identifies who deploys. Exit code 2: not applied. Exit code 3: a person has to decide first.',
    )
    .action((options: DeployOptions) => runDeploy(options, terminal));
};

async function runDeploy(options: DeployOptions, terminal: Terminal): Promise<void> {
  const [{ deployStack }, { tasksToAccept }, { RunText }] = await Promise.all([
    import('./deploy.ts'),
    import('@gatehouse/core/run-task'),
    import('./run-text.ts'),
  ]);
  const text = new RunText(styleFor(terminal.stdout, terminal.env));
  const ended = await deployStack({
    stack: stackOf(options, terminal),
    message: options.message ?? '',
    speculative: options.speculative === true,
    allowUncommitted: options.allowUncommitted,
    address: options.address,
    env: terminal.env,
    onChange: (snapshot, page) => {
      if (!options.json) writeText(terminal.stdout, terminal.env, text.news(snapshot, page));
    },
    onWait: async (snapshot) => {
      if (options.json || !isInteractive(terminal)) return undefined;
      if (snapshot.status === 'waiting_for_confirmation') return await askToConfirm(snapshot, terminal);
      return await askToAccept(snapshot, tasksToAccept(snapshot)[0], terminal);
    },
  });
  if (options.json) terminal.stdout.write(jsonText(ended));
  terminal.exitCode = exitCodeOfRun(ended);
}

/** Not `openStack`: the platform has the stack's files, and this machine need not. */
export function stackOf({ stack }: Pick<DeployOptions, 'stack'>, { env }: Terminal): string {
  const chosen = stack || env['PULUMI_STACK'];
  if (chosen) return chosen;
  throw new GatehouseError('stack_not_chosen');
}

async function askToConfirm({ planDigest }: RunView, terminal: Terminal): Promise<RunDecision | undefined> {
  const answer = await ask(
    terminal,
    'Apply it? yes confirms, no discards, anything else leaves it waiting: ',
  );
  const plan = planDigest === null ? {} : { planDigest };
  if (/^y(es)?$/i.test(answer)) return { verb: 'confirm', ...plan };
  return /^no?$/i.test(answer) ? { verb: 'discard', ...plan } : undefined;
}

async function askToAccept(
  { planDigest }: RunView,
  task: TaskView | undefined,
  terminal: Terminal,
): Promise<RunDecision | undefined> {
  if (task === undefined) return undefined;
  const question = `Why is it right to go on without ${printable(task.name)}? No reason leaves it waiting: `;
  const reason = await ask(terminal, question);
  if (reason === '') return undefined;
  return { verb: 'accept', task: task.id, reason, ...(planDigest === null ? {} : { planDigest }) };
}

function exitCodeOfRun({ status, endedAt }: RunView): ExitCode {
  if (endedAt === null) return ExitCode.waiting;
  if (status === 'applied' || status === 'planned_and_finished') return ExitCode.ok;
  return status === 'errored' ? ExitCode.error : ExitCode.no;
}

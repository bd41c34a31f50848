import type { RunDecision } from '@gatehouse/core/run-task';
import { type AddCommand, type CommonOptions, print } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addressHelp } from './deploy-command.ts';

interface RunOptions extends CommonOptions {
  address?: string;
  reason?: string;
  task?: string;
}

const task = ['--task <name>', 'name of the run task'] as const;
const reason = ['--reason <text>', 'why, stored with the run'] as const;

export const addRun: AddCommand = (program, { terminal }) => {
  const group = program.command('run').summary('show a run of a platform, and decide about it');
  /** @param argument of the example, behind the run */
  const add = (
    name: string,
    summary: string,
    argument: string,
    decision: (options: RunOptions) => RunDecision | undefined,
  ) =>
    group
      .add(name, summary, [`gatehouse run ${name} run-5f0c${argument}`])
      .argument('<run>', 'id of the run')
      .option('--address <url>', addressHelp)
      .note('VAULT_TOKEN identifies who decides.')
      .action((id: string, options: RunOptions) => act(id, decision(options), options, terminal));

  add('show', 'show a run: its tasks, what they found, and what was decided', '', () => undefined);
  const reviewed = " --reason 'Reviewed with the shop team'";
  add('confirm', 'confirm the plan that a run waits to apply', reviewed, (options) => ({
    verb: 'confirm',
    reason: options.reason,
  })).option(...reason);
  add('discard', 'discard the plan of a run that waits', '', (options) => ({
    verb: 'discard',
    reason: options.reason,
  })).option(...reason);
  const falseAlarm = " --task review --reason 'The finding is a false alarm'";
  add('accept', 'let a run go on although a mandatory run task did not pass', falseAlarm, (options) => ({
    verb: 'accept',
    task: options.task ?? '',
    reason: options.reason ?? '',
  }))
    .requiredOption(...task)
    .requiredOption(...reason);
  add('retry', 'retry a run task that did not pass', ' --task review', (options) => ({
    verb: 'retry',
    task: options.task ?? '',
  })).requiredOption(...task);
  add('cancel', 'cancel a run that is not applied yet', '', () => ({ verb: 'cancel' }));
};

async function act(
  id: string,
  decision: RunDecision | undefined,
  { address, json }: RunOptions,
  terminal: Terminal,
): Promise<void> {
  const [{ decideRun }, { RunText }] = await Promise.all([import('./deploy.ts'), import('./run-text.ts')]);
  const { run, page } = await decideRun(id, decision, { address, env: terminal.env });
  print(terminal, { json }, run, (style) => new RunText(style).news(run, page));
}

import type { RunDecision } from '../../core/run-task/run.ts';
import type { Terminal } from '../rendering/terminal.ts';
import { type AddCommand, type CommonOptions, print } from './command.ts';
import { addressHelp } from './deploy.ts';

interface RunOptions extends CommonOptions {
  address?: string;
  reason?: string;
  task?: string;
}

/** The parts of `gatehouse run`, and the decision that each sends. */
const parts: {
  name: string;
  summary: string;
  /** What follows the name and the run, in the example. */
  example?: string;
  task?: true;
  reason?: 'optional' | 'required';
  decision: (options: RunOptions) => RunDecision | undefined;
}[] = [
  {
    name: 'show',
    summary: 'show a run: its tasks, what they found, and what was decided',
    decision: () => undefined,
  },
  {
    name: 'confirm',
    summary: 'confirm the plan that a run waits to apply',
    example: " --reason 'Reviewed with the shop team'",
    reason: 'optional',
    decision: ({ reason }) => ({ verb: 'confirm', reason }),
  },
  {
    name: 'discard',
    summary: 'decide against the plan of a run that waits',
    reason: 'optional',
    decision: ({ reason }) => ({ verb: 'discard', reason }),
  },
  {
    name: 'accept',
    summary: 'let a run go on although a mandatory run task did not pass',
    example: " --task review --reason 'The finding is a false alarm'",
    task: true,
    reason: 'required',
    decision: ({ task = '', reason = '' }) => ({ verb: 'accept', task, reason }),
  },
  {
    name: 'retry',
    summary: 'ask a run task again that did not pass',
    example: ' --task review',
    task: true,
    decision: ({ task = '' }) => ({ verb: 'retry', task }),
  },
  {
    name: 'cancel',
    summary: 'cancel a run that is not applied yet',
    decision: () => ({ verb: 'cancel' }),
  },
];

export const addRun: AddCommand = (program, { terminal }) => {
  const group = program.command('run').summary('show a run of a platform, and decide about it');
  for (const { name, summary, example = '', task, reason, decision } of parts) {
    const command = group
      .add(name, summary, [`gatehouse run ${name} run-5f0c${example}`])
      .argument('<run>', 'id of the run')
      .option('--address <url>', addressHelp)
      .note('VAULT_TOKEN identifies who decides.');
    if (task) command.requiredOption('--task <name>', 'name of the run task');
    if (reason === 'required') command.requiredOption('--reason <text>', 'why, stored with the run');
    if (reason === 'optional') command.option('--reason <text>', 'why, stored with the run');
    command.action((id: string, options: RunOptions) => act(id, decision(options), options, terminal));
  }
};

async function act(
  id: string,
  decision: RunDecision | undefined,
  { address, json }: RunOptions,
  terminal: Terminal,
): Promise<void> {
  const [{ decideRun }, { RunText }] = await Promise.all([
    import('../../operations/deploy.ts'),
    import('../rendering/run-text.ts'),
  ]);
  const { run, page } = await decideRun(id, decision, { address, env: terminal.env });
  print(terminal, { json }, run, (style) => new RunText(style).news(run, page));
}

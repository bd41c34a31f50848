import { GatehouseError } from '../../core/model/values/errors.ts';
import type { RunSnapshot } from '../../operations/deploy.ts';
import { styleFor } from '../rendering/style.ts';
import { ExitCode, type Terminal } from '../rendering/terminal.ts';
import { type AddCommand, addCommand, type StackOptions, withStack } from './command.ts';

interface DeployOptions extends StackOptions {
  speculative?: boolean;
  message?: string;
  address?: string;
}

export const addDeploy: AddCommand = (program, { terminal }) => {
  const command = addCommand(program, 'deploy', 'deploy a stack through a platform, gated by its run tasks', [
    'gatehouse deploy -s prod -m "New role for the shop"',
    'gatehouse deploy -s prod --speculative',
  ])
    .option('--speculative', 'plan only')
    .option('-m, --message <text>', 'reason, shown to people')
    .option(
      '--address <url>',
      'address of the platform (default: $GATEHOUSE_PLATFORM_ADDRESS, or http://127.0.0.1:8300)',
    )
    .addHelpText('after', '\nVAULT_TOKEN identifies who deploys. Exit code 2: not applied.');
  withStack(command).action((options: DeployOptions) => run(options, terminal));
};

async function run(options: DeployOptions, terminal: Terminal): Promise<void> {
  const [{ deployStack }, { RunText }] = await Promise.all([
    import('../../operations/deploy.ts'),
    import('../rendering/run-text.ts'),
  ]);
  const text = new RunText(styleFor(terminal.stdout, terminal.env));
  const ended = await deployStack({
    stack: stackOf(options, terminal),
    message: options.message ?? '',
    speculative: options.speculative === true,
    address: options.address,
    env: terminal.env,
    onChange: (snapshot) => {
      if (!options.json) terminal.stdout.write(text.news(snapshot));
    },
  });
  if (options.json) terminal.stdout.write(`${JSON.stringify(ended, null, 4)}\n`);
  terminal.exitCode = exitCodeOf(ended);
}

/** Not `openStack`: the platform has the stack's files, and this machine need not. */
function stackOf({ stack }: DeployOptions, { env }: Terminal): string {
  const chosen = stack || env['PULUMI_STACK'];
  if (chosen) return chosen;
  throw new GatehouseError({
    code: 'stack_not_chosen',
    what: 'No stack was chosen.',
    fix: 'Choose one with --stack or PULUMI_STACK.',
  });
}

function exitCodeOf({ status }: RunSnapshot): ExitCode {
  if (status === 'applied' || status === 'planned_and_finished') return ExitCode.ok;
  return status === 'errored' ? ExitCode.error : ExitCode.no;
}

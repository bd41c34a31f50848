import { resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import { CommanderError } from 'commander';
import { addAbout } from './about/about-command.ts';
import { addAdopt } from './adopt/adopt-command.ts';
import { addDeploy } from './deploy/deploy-command.ts';
import { addDeployingToken } from './deploy/deploying-token-command.ts';
import { addRun } from './deploy/run-command.ts';
import { addDev } from './dev/dev-command.ts';
import { addDrift } from './drift/drift-command.ts';
import { addExplain } from './explain/explain-command.ts';
import { addHistory } from './history/history-command.ts';
import { addLogin } from './login/login-command.ts';
import { addNew } from './new/new-command.ts';
import { findProject } from './open/find-project.ts';
import { addReview } from './review/review-command.ts';
import { addRotate } from './rotate/rotate-command.ts';
import { addSecret } from './secret/secret-command.ts';
import { addServe } from './serve/serve-command.ts';
import { addSnapshot } from './snapshot/snapshot-command.ts';
import { addStack } from './stack/stack-command.ts';
import { addStateExport } from './stack/state-export-command.ts';
import { addVerifyReview } from './statement/verify-review-command.ts';
import { type AddCommand, type CommandContext, GatehouseCommand, version } from './terminal/command.ts';
import { addHelp } from './terminal/help.ts';
import { ExitCode, type Terminal, widthOf } from './terminal/terminal.ts';
import { writeText } from './terminal/wrap.ts';
import { addTokenPolicy } from './token-policy/token-policy-command.ts';
import { addDestroy, addPreview, addRefresh, addUp } from './up/deployment-commands.ts';
import { addReport } from './usage/report-command.ts';
import { addUsage } from './usage/usage-command.ts';
import { addVerify } from './verify/verify-command.ts';
import { addAccess, addWhoCan } from './who-can/who-can-command.ts';

/** Runs one command line (without node and script) and returns the exit code. Throws nothing. */
export async function main(argv: string[], context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  if (argv.length === 0) return await showFirstStep(terminal);
  const program = new GatehouseCommand('gatehouse')
    .description('Login as code: how people and workloads sign in to a secrets service.')
    .version(version(), '--version', 'print the version')
    .helpCommand(false)
    // The column of commands has their names alone; the help of each command says what it takes.
    .configureHelp({ minWidthToWrap: 20, subcommandTerm: (command) => command.name() })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => writeText(terminal.stdout, terminal.env, text),
      writeErr: (text) => writeText(terminal.stderr, terminal.env, text),
      // Printed below, like every error.
      outputError: () => {},
      getOutHelpWidth: () => widthOf(terminal.stdout, terminal.env) ?? 100,
      getErrHelpWidth: () => widthOf(terminal.stderr, terminal.env) ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .hook('preAction', (_, command) => {
      const { cwd } = command.opts();
      // `new` makes a project of its own, below another one too.
      if (typeof cwd === 'string' && command.name() !== 'new')
        command.setOptionValue('cwd', findProject(resolve(terminal.cwd, cwd)));
    });
  addCommands(program, context);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    const isUsage = error instanceof CommanderError;
    // Help and version end here, too, and a command without its second word has printed its help.
    if (isUsage && (error.exitCode === 0 || error.code === 'commander.help'))
      return toExitCode(error.exitCode);
    const [{ reportError }, { usageError }] = await Promise.all([
      import('./terminal/report-error.ts'),
      import('./terminal/usage-error.ts'),
    ]);
    reportError(isUsage ? usageError(error, program, argv) : error, terminal, {
      json: argv.includes('--json'),
      verbose: argv.includes('--verbose'),
    });
    const isCanceled = error instanceof GatehouseError && /^(planning_)?canceled$/.test(error.code);
    return isCanceled ? ExitCode.canceled : ExitCode.error;
  }
}

/** The command alone: what to do first in this folder. */
async function showFirstStep({ stdout, env, cwd }: Terminal): Promise<ExitCode> {
  const [{ firstStepIn }, { firstStepText }] = await Promise.all([
    import('./first-step/first-step.ts'),
    import('./first-step/first-step-text.ts'),
  ]);
  writeText(stdout, env, firstStepText(await firstStepIn(cwd)));
  return ExitCode.ok;
}

function toExitCode(code: number): ExitCode {
  return code === 0 ? ExitCode.ok : ExitCode.error;
}

/** Every command, in the groups and the order in which `--help` lists them. */
const groups: { heading: string; commands: AddCommand[] }[] = [
  { heading: 'Try it:', commands: [addNew, addDev, addLogin] },
  {
    heading: 'Declare and apply:',
    commands: [
      addAdopt,
      addSecret,
      addPreview,
      addUp,
      addRefresh,
      addDestroy,
      addRotate,
      addStack,
      addStateExport,
      addTokenPolicy,
    ],
  },
  { heading: 'Judge a change:', commands: [addReview, addVerifyReview, addSnapshot] },
  { heading: 'Ask who can:', commands: [addWhoCan, addAccess, addExplain, addHistory, addReport] },
  { heading: 'Watch:', commands: [addDrift, addVerify, addUsage] },
  { heading: 'Run tasks and deployments:', commands: [addServe, addDeploy, addRun, addDeployingToken] },
  { heading: 'This command:', commands: [addHelp, addAbout] },
];

export function addCommands(program: GatehouseCommand, context: CommandContext): void {
  for (const { heading, commands } of groups) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, context);
  }
}

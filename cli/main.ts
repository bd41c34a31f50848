import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { GatehouseError } from '../core/model/values/errors.ts';
import { findProject } from '../operations/find-project.ts';
import { addAbout } from './commands/about.ts';
import { addAdopt } from './commands/adopt.ts';
import { type AddCommand, type CommandContext, GatehouseCommand, version } from './commands/command.ts';
import { addCompletion } from './commands/completion.ts';
import { addDeploy } from './commands/deploy.ts';
import { addDestroy, addPreview, addRefresh, addUp } from './commands/deployments.ts';
import { addDev } from './commands/dev.ts';
import { addDrift } from './commands/drift.ts';
import { addExplain } from './commands/explain.ts';
import { addHelp } from './commands/help.ts';
import { addLogin } from './commands/login.ts';
import { addNew } from './commands/new.ts';
import { addReport } from './commands/report.ts';
import { addReview } from './commands/review.ts';
import { addRotate } from './commands/rotate.ts';
import { addRun } from './commands/run.ts';
import { addSecret } from './commands/secret.ts';
import { addServe } from './commands/serve.ts';
import { addSnapshot } from './commands/snapshot.ts';
import { addStack } from './commands/stack.ts';
import { addStateExport } from './commands/state-export.ts';
import { addUsage } from './commands/usage.ts';
import { addVerify } from './commands/verify.ts';
import { addAccess, addWhoCan } from './commands/who-can.ts';
import { ExitCode, widthOf } from './rendering/terminal.ts';
import { writeText } from './rendering/wrap.ts';

/** Runs one command line (without node and script) and returns the exit code. Throws nothing. */
export async function main(argv: string[], context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const program = new GatehouseCommand('gatehouse')
    .description('Login as code: how people and workloads sign in to a secrets service.')
    .version(version(), '--version', 'print the version')
    .helpCommand(false)
    // One narrow column of names: what a command takes, its own help says.
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
      import('./rendering/report-error.ts'),
      import('./commands/usage-error.ts'),
    ]);
    reportError(isUsage ? usageError(error, program, argv) : error, terminal, {
      json: argv.includes('--json'),
      verbose: argv.includes('--verbose'),
    });
    const isCanceled = error instanceof GatehouseError && /^(planning_)?canceled$/.test(error.code);
    return isCanceled ? ExitCode.canceled : ExitCode.error;
  }
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
      ...[addAdopt, addSecret, addPreview, addUp, addRefresh, addDestroy, addRotate],
      ...[addStack, addStateExport],
    ],
  },
  { heading: 'Judge a change:', commands: [addReview, addSnapshot] },
  { heading: 'Ask who can:', commands: [addWhoCan, addAccess, addExplain, addReport] },
  { heading: 'Watch:', commands: [addDrift, addVerify, addUsage] },
  { heading: 'Run tasks and deployments:', commands: [addServe, addDeploy, addRun] },
  { heading: 'This command:', commands: [addHelp, addCompletion, addAbout] },
];

export function addCommands(program: GatehouseCommand, context: CommandContext): void {
  for (const { heading, commands } of groups) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, context);
  }
}

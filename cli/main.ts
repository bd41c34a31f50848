import { Command, CommanderError } from 'commander';
import { addAdopt } from './commands/adopt.ts';
import { type AddCommand, type CommandContext, version } from './commands/command.ts';
import { addDeploy } from './commands/deploy.ts';
import { addDestroy, addPreview, addRefresh, addUp } from './commands/deployments.ts';
import { addDev } from './commands/dev.ts';
import { addDrift } from './commands/drift.ts';
import { addExplain } from './commands/explain.ts';
import { addInit } from './commands/init.ts';
import { addLogin } from './commands/login.ts';
import { addReview } from './commands/review.ts';
import { addRotate } from './commands/rotate.ts';
import { addRun } from './commands/run.ts';
import { addRunTask } from './commands/run-task.ts';
import { addServe } from './commands/serve.ts';
import { addStateExport } from './commands/state-export.ts';
import { addVerify } from './commands/verify.ts';
import { addAccess, addWhoCan } from './commands/who-can.ts';
import { ExitCode } from './rendering/terminal.ts';

/** Runs one command line (without node and script) and returns the exit code. Throws nothing. */
export async function main(argv: string[], context: Omit<CommandContext, 'argv'>): Promise<ExitCode> {
  const { terminal } = context;
  const program = new Command('gatehouse')
    .description('Login as code: how people and workloads sign in to a secrets service.')
    .version(version(), '--version', 'print the version')
    .helpCommand(false)
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const add of commands) await add(program, { ...context, argv });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    // Commander has printed what is wrong with the command line; help and version end here, too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.error;
    const { reportError } = await import('./rendering/report-error.ts');
    reportError(error, terminal, { json: argv.includes('--json'), verbose: argv.includes('--verbose') });
    return ExitCode.error;
  }
}

/** Every command, in the order in which `--help` lists them. */
export const commands: AddCommand[] = [
  addDev,
  addInit,
  addLogin,
  addPreview,
  addUp,
  addRefresh,
  addDestroy,
  addDrift,
  addExplain,
  addWhoCan,
  addAccess,
  addVerify,
  addRotate,
  addStateExport,
  addReview,
  addAdopt,
  addServe,
  addRunTask,
  addDeploy,
  addRun,
];

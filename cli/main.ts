import { Command, CommanderError } from 'commander';
import type { CommandContext } from './command.ts';
import { commands } from './commands.ts';
import { ExitCode } from './terminal.ts';
import { version } from './version.ts';

/** Runs one command line (without node and script) and answers with the exit code. Throws nothing. */
export async function main(argv: string[], context: CommandContext): Promise<ExitCode> {
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
  for (const add of commands) add(program, context);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    // Commander has said what was wrong with the command line; help and version end here, too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.error;
    const { reportError } = await import('./report-error.ts');
    reportError(error, terminal, { json: argv.includes('--json'), verbose: argv.includes('--verbose') });
    return ExitCode.error;
  }
}

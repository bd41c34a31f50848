import { GatehouseError } from '@gatehouse/core/values';
import type { Command, CommanderError } from 'commander';

/** Errors of commander, and our codes for them. */
const codes = [
  { commander: 'commander.unknownCommand', code: 'command_unknown' },
  { commander: 'commander.unknownOption', code: 'option_unknown' },
  { commander: 'commander.missingMandatoryOptionValue', code: 'option_missing' },
  { commander: 'commander.conflictingOption', code: 'option_conflict' },
  { commander: 'commander.missingArgument', code: 'argument_missing' },
  { commander: 'commander.optionMissingArgument', code: 'argument_missing' },
  { commander: 'commander.invalidArgument', code: 'argument_invalid' },
  { commander: 'commander.excessArguments', code: 'argument_excess' },
] as const;

/** A command line that commander does not take, as an error of ours. */
export function usageError(error: CommanderError, program: Command, argv: readonly string[]): GatehouseError {
  const code = codes.find(({ commander }) => commander === error.code)?.code ?? 'command_line_invalid';
  const [problem = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  return new GatehouseError(code, {
    cause: error,
    values: {
      problem: [problem, suggestion?.replace(/^\((.*)\)$/, '$1')].filter(Boolean).join('\n  '),
      command: commandLine(program, argv),
    },
  });
}

/** The words of a command line that name a command: `gatehouse run confirm`. */
function commandLine(program: Command, argv: readonly string[]): string {
  let command = program;
  const names = [program.name()];
  for (const word of argv) {
    const inner = command.commands.find((candidate) => candidate.name() === word);
    if (inner === undefined) break;
    names.push(word);
    command = inner;
  }
  return names.join(' ');
}

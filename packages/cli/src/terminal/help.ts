import { GatehouseError, nearest } from '@gatehouse/core/values';
import type { Command } from 'commander';
import type { AddCommand } from './command.ts';

export const addHelp: AddCommand = (program) => {
  program
    .command('help')
    .summary('show what a command does, its options and an example')
    .description('Show what a command does, its options and an example; without a command, all commands.')
    .argument('[command...]', 'for example: run confirm')
    .note('Example:\n  $ gatehouse help run confirm')
    .action((words: string[]) => {
      let command: Command = program;
      for (const word of words) {
        const inner = command.commands.find((candidate) => candidate.name() === word);
        if (inner === undefined) {
          const names = command.commands.map((subcommand) => subcommand.name());
          const allowed = names.join(', ') || undefined;
          const values = { command: nearest(word, names) };
          throw new GatehouseError('command_unknown.help', { given: words.join(' '), allowed, values });
        }
        command = inner;
      }
      command.outputHelp();
    });
};

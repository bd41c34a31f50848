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
        const inner = command.commands.find((one) => one.name() === word);
        if (inner === undefined) {
          const names = command.commands.map((one) => one.name());
          const meant = nearest(word, names);
          throw new GatehouseError({
            code: 'command_unknown',
            what: 'There is no such command.',
            given: words.join(' '),
            allowed: names.join(', ') || undefined,
            fix: meant && `Did you mean ${meant}?`,
          });
        }
        command = inner;
      }
      command.outputHelp();
    });
};

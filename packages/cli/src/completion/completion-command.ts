import { resolve } from 'node:path';
import { Argument, type Command, type Option } from 'commander';
import { findProject } from '../open/find-project.ts';
import type { AddCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Candidate } from './completion-script.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export const addCompletion: AddCommand = (program, { terminal }) => {
  program
    .command('completion')
    .summary('print what lets a shell complete commands, options and names')
    .description('Print what lets a shell complete commands, options, stacks and names.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .argument('[words...]', 'print what may follow these words instead, for the script itself')
    .note(
      [
        'Examples, in the file that the shell reads at its start:',
        '  $ source <(gatehouse completion bash)     # ~/.bashrc; ~/.zshrc with zsh, after compinit',
        '  $ gatehouse completion fish | source      # ~/.config/fish/config.fish',
      ].join('\n'),
    )
    .action(async (shell: (typeof shells)[number], words: string[]) => {
      const { candidatesText, completionScripts } = await import('./completion-script.ts');
      if (words.length === 0) terminal.stdout.write(completionScripts[shell]);
      else terminal.stdout.write(candidatesText(shell, await candidates(program, words, terminal)));
    });
};

/** Completions of the last word, which may be typed in part. */
async function candidates(program: Command, words: string[], terminal: Terminal): Promise<Candidate[]> {
  // Shells hand it over as it is typed, some of them with its quote or backslashes.
  const typed = (words.at(-1) ?? '').replace(/^['"]|\\(?=.)/g, '');
  const place = placeOf(program, words.slice(0, -1));
  const all = await candidatesAt(place, typed.startsWith('-'), terminal);
  return all.filter(({ word }) => word.startsWith(typed));
}

interface Cursor {
  command: Command;
  /** The option whose value comes next. */
  option: Option | undefined;
  /** How many arguments came before. */
  given: number;
  /** Values of options before, by their long names. */
  values: Map<string, string>;
}

function placeOf(program: Command, words: readonly string[]): Cursor {
  const place: Cursor = { command: program, option: undefined, given: 0, values: new Map() };
  for (const word of words) {
    if (place.option !== undefined) {
      place.values.set(place.option.long ?? '', word);
      place.option = undefined;
    } else if (word.startsWith('-')) {
      const option = place.command.options.find(({ long, short }) => long === word || short === word);
      if (option?.required || option?.optional) place.option = option;
    } else {
      const inner = place.command.commands.find((one) => one.name() === word);
      if (inner === undefined) place.given++;
      // The words of help are those of the command that it is about.
      else if (inner.name() !== 'help') place.command = inner;
    }
  }
  return place;
}

async function candidatesAt(place: Cursor, isOption: boolean, terminal: Terminal): Promise<Candidate[]> {
  const { command, option, given, values } = place;
  const words = (list: readonly string[]) => list.map((word) => ({ word }));
  if (option !== undefined) {
    if (option.argChoices !== undefined) return words(option.argChoices);
    const directory = findProject(resolve(terminal.cwd, values.get('--cwd') ?? '.'));
    const { completeName, completeStack } = await import('./completion.ts');
    if (option.long === '--stack') return words(await completeStack(directory));
    if (option.long !== '--target' && option.long !== '--exclude') return [];
    const stack = values.get('--stack') ?? terminal.env['PULUMI_STACK'] ?? '';
    return words(await completeName(directory, stack));
  }
  if (isOption) {
    const own = command.options.filter(({ hidden }) => !hidden);
    return [
      ...own.map(({ long, short, description }) => ({ word: long ?? short ?? '', about: description })),
      { word: '--help', about: 'show the options, with an example' },
    ];
  }
  if (command.commands.length > 0) {
    return command.commands.map((one) => ({ word: one.name(), about: one.summary() }));
  }
  return words(command.registeredArguments[given]?.argChoices ?? []);
}

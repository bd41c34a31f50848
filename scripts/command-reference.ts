import type { Command, Option } from 'commander';
import { addCommands } from '../packages/cli/src/main.ts';
import { type CommandContext, GatehouseCommand } from '../packages/cli/src/terminal/command.ts';

interface Documented {
  name: string;
  /** The task that `--help` lists it under. */
  task: string;
  command: Command;
}

/** Options that this many commands have stand in one table. */
const shared = 3;
const shownExamples = 1;
/** Options that more commands than this have are left out of each command's list. */
const everyCommand = 20;

function documentedCommands(): Documented[] {
  const program = new GatehouseCommand('gatehouse');
  addCommands(program.helpCommand(false), {} as CommandContext);
  const of = (command: Command, name: string, task: string): Documented[] =>
    command.commands.length === 0
      ? [{ name, task, command }]
      : command.commands.flatMap((inner) => of(inner, `${name} ${inner.name()}`, task));
  return program.commands.flatMap((top) =>
    of(top, `gatehouse ${top.name()}`, (top.helpGroup() ?? '').replace(':', '')),
  );
}

/** The command lines that its help has as examples. */
function examplesOf(command: Command): string[] {
  let help = '';
  const writeOut = (text: string) => {
    help += text;
  };
  command.configureOutput({ writeOut }).outputHelp();
  return [...help.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) =>
    line.replace(/(^|\| )gatehouse /, '$1npx gatehouse '),
  );
}

function rowOf({ flags, description, defaultValue, argChoices }: Option): string {
  const choices =
    argChoices === undefined ? '' : `: ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`;
  const isShown = defaultValue !== undefined && typeof defaultValue !== 'boolean' && `${defaultValue}` !== '';
  const cells = [`\`${flags}\``, `${description}${choices}${isShown ? ` (default: ${defaultValue})` : ''}`];
  return `|${cells.map((cell) => cell.replaceAll('|', '\\|')).join('|')}|`;
}

const tableOf = (options: Option[]) => ['|Option|Meaning|', '|---|---|', ...options.map(rowOf)];

/** Every command by task, with its examples and options. */
export function commandReference(): string {
  const all = documentedCommands();
  const own = ({ command }: Documented) => command.options.filter(({ hidden }) => !hidden);
  const sameAs = (option: Option) => (other: Option) => rowOf(other) === rowOf(option);
  const isShared = (option: Option) =>
    all.filter((documented) => own(documented).some(sameAs(option))).length >= shared;
  const everywhere = (option: Option) =>
    all.filter((documented) => own(documented).some(sameAs(option))).length > everyCommand;
  const common = all
    .flatMap(own)
    .filter((option, at, options) => isShared(option) && options.findIndex(sameAs(option)) === at);

  const sections = [...Map.groupBy(all, ({ task }) => task)].flatMap(([task, commands]) => [
    `## ${task}`,
    ...commands.flatMap((documented) => {
      const taken = own(documented).filter((option) => isShared(option) && !everywhere(option));
      const special = own(documented).filter((option) => !isShared(option));
      const examples = examplesOf(documented.command).slice(0, shownExamples);
      return [
        `### ${documented.name}`,
        `${documented.command.summary().replace(/^./, (letter) => letter.toUpperCase())}.`,
        ...(examples.length === 0 ? [] : [['```sh', ...examples, '```'].join('\n')]),
        ...(special.length === 0 ? [] : [tableOf(special).join('\n')]),
        ...(taken.length === 0 ? [] : [`Shared: ${taken.map(({ long }) => `\`${long}\``).join(', ')}.`]),
      ];
    }),
  ]);
  return [`## Shared options\n\n${tableOf(common).join('\n')}`, ...sections].join('\n\n');
}

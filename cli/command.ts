import { type Command, InvalidArgumentError, Option } from 'commander';
import type { OpenEngine } from '../operations/engines.ts';
import type { Terminal } from './terminal.ts';

/** What a command gets to work with. */
export interface CommandContext {
  terminal: Terminal;
  openEngine: OpenEngine;
}

/** Adds one command to the program. Each command has a file in `commands/`. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** The options that every command has. */
export interface CommonOptions {
  cwd: string;
  json?: boolean;
  verbose?: boolean;
}

/** A command with the options that every command has, and an example under its help. */
export function addCommand(program: Command, name: string, summary: string, examples: string[]): Command {
  return program
    .command(name)
    .summary(summary)
    .description(summary)
    .option('-C, --cwd <folder>', 'work in this folder, which holds Pulumi.yaml', '.')
    .option('--json', 'print JSON on standard output')
    .option('--verbose', 'say more; print stack traces of errors')
    .addHelpText(
      'after',
      `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((line) => `  $ ${line}`).join('\n')}`,
    );
}

export interface StackOptions extends CommonOptions {
  stack?: string;
}

export function withStack(command: Command): Command {
  return command.option('-s, --stack <name>', 'the stack (default: $PULUMI_STACK)');
}

export interface EngineOptions {
  engine?: 'local' | 'pulumi';
  plugin?: 'embedded';
}

export function withEngine(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--engine <name>',
        'who applies it (default: local for a service on this machine, else the Pulumi CLI where it is on PATH)',
      ).choices(['local', 'pulumi']),
    )
    .addOption(
      new Option('--plugin <name>', "with --engine pulumi: use this project's own vault plugin").choices([
        'embedded',
      ]),
    );
}

/** Collects an option that may be given several times. Each must be a URN. */
export function collectUrn(urn: string, before: string[] = []): string[] {
  if (!urn.startsWith('urn:pulumi:')) {
    throw new InvalidArgumentError('a URN starts with urn:pulumi: (preview --verbose shows them)');
  }
  return [...before, urn];
}

import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { OpenEngine } from '../../operations/engines.ts';
import type { Style } from '../rendering/style.ts';
import type { Terminal } from '../rendering/terminal.ts';

/** What a command gets to work with. */
export interface CommandContext {
  /** The command line, without node and script. */
  argv: readonly string[];
  terminal: Terminal;
  openEngine: OpenEngine;
}

/** Adds one command to the program. Each command has a file in `commands/`. */
export type AddCommand = (program: Command, context: CommandContext) => void | Promise<void>;

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
    .option('-C, --cwd <folder>', 'folder of Pulumi.yaml', '.')
    .option('--json', 'print JSON on standard output')
    .option('--verbose', 'print more, including stack traces of errors')
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
        'who applies it (default: local for a service on this machine, else pulumi if it is on PATH)',
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
    throw new InvalidArgumentError('a URN starts with urn:pulumi: (preview --verbose prints them)');
  }
  return [...before, urn];
}

/** Reads a port: 0 to 65535, where 0 lets the system choose. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('must be a whole number from 0 to 65535');
}

/** A parser of times: whole seconds from 1 to `most`. */
export function parseSeconds(most: number): (text: string) => number {
  return (text) => {
    const seconds = Number(text);
    if (/^\d+$/.test(text) && seconds >= 1 && seconds <= most) return seconds;
    throw new InvalidArgumentError(`must be a whole number of seconds from 1 to ${most}`);
  };
}

/** Prints a result: JSON with `--json`, else as text for people, with the colors of the terminal. */
export async function print(
  { stdout, env }: Terminal,
  { json }: { json?: boolean },
  result: object,
  text: (style: Style) => string,
): Promise<void> {
  if (json) stdout.write(`${JSON.stringify(result, null, 4)}\n`);
  else stdout.write(text((await import('../rendering/style.ts')).styleFor(stdout, env)));
}

/** Settles when the person, or the machine, asks the process to end. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** The version of this package. */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

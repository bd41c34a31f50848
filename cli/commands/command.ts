import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readBudget } from '../../core/model/values/budget.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { OpenEngine } from '../../operations/engines.ts';
import { type Style, styleFor } from '../rendering/style.ts';
import { askSecret, isInteractive, readInput, type Terminal } from '../rendering/terminal.ts';
import { writeText } from '../rendering/wrap.ts';

export interface CommandContext {
  /** The command line, without node and script. */
  argv: readonly string[];
  terminal: Terminal;
  openEngine: OpenEngine;
}

/** Adds one command to the program. */
export type AddCommand = (program: Command, context: CommandContext) => void | Promise<void>;

/** Options of every command. */
export interface CommonOptions {
  /** Absolute once a command runs: the folder of Pulumi.yaml. */
  cwd: string;
  json?: boolean;
  verbose?: boolean;
}

/** Adds a command with the common options, and examples below its help. */
export function addCommand(program: Command, name: string, summary: string, examples: string[]): Command {
  const title = examples.length === 1 ? 'Example' : 'Examples';
  return program
    .command(name)
    .summary(summary)
    .description(summary)
    .option('-C, --cwd <folder>', 'folder of Pulumi.yaml, or one in it', '.')
    .option('--json', 'print JSON on standard output')
    .option('--verbose', 'print more, including stack traces of errors')
    .addHelpText('after', ['', `${title}:`, ...examples.map((line) => `  $ ${line}`)].join('\n'));
}

export interface StackOptions extends CommonOptions {
  stack?: string;
}

export function withStack(command: Command): Command {
  return command.option('-s, --stack <name>', 'the stack (default: $PULUMI_STACK)');
}

export interface NamespaceOptions {
  namespace?: string;
}

/** For what is about one namespace at a time. */
export function withNamespace(command: Command): Command {
  return command.option('--namespace <path>', 'only this namespace of the stack, as `namespaces` lists it');
}

export interface ReadingOptions {
  readBudget: number;
  tokens?: boolean;
}

/** How much of a service is read. */
export function withReading(command: Command): Command {
  return command
    .option(
      '--read-budget <requests>',
      'read what the service has with at most this many requests',
      (text) => {
        if (/^[1-9]\d{0,7}$/.test(text)) return Number(text);
        throw new InvalidArgumentError('must be a whole number from 1 to 99999999');
      },
      readBudget,
    )
    .option('--tokens', 'also read the tokens that were issued; the token needs sudo');
}

/** What exceptions and promises are compared with. */
export function withBase(command: Command): Command {
  return command.option(
    '--base <revision>',
    'what exceptions count from (default: where the branch left the default branch of origin)',
  );
}

export function limitsOf({ readBudget, tokens = false }: ReadingOptions): {
  budget: number;
  tokens: boolean;
} {
  return { budget: readBudget, tokens };
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

/**
 * A client secret, from a file, `GATEHOUSE_CLIENT_SECRET` or the person at the terminal. Never from an argument: everyone
 * on the machine can see those.
 */
export async function secretFrom(
  file: string | undefined,
  terminal: Terminal,
  question: string,
): Promise<string | undefined> {
  if (file !== undefined) return readSecret(file, terminal);
  if (terminal.env['GATEHOUSE_CLIENT_SECRET']) return terminal.env['GATEHOUSE_CLIENT_SECRET'];
  return isInteractive(terminal) ? await askSecret(terminal, question) : undefined;
}

/**
 * The secret in a file, without the line break that editors end a file with.
 *
 * @throws GatehouseError `file_unreadable`, `secret_invalid`
 */
export async function readSecret(file: string, terminal: Terminal): Promise<string> {
  const text = (await readInput(file, terminal)).replace(/\r?\n$/, '');
  if (!/[\0\ufeff\ufffd]/.test(text)) return text;
  throw new GatehouseError({
    code: 'secret_invalid',
    what: 'The secret is no plain text in UTF-8.',
    given: file,
    fix: 'Save it without a byte order mark.',
  });
}

/** Prints a result: JSON with `--json`, otherwise text for people, with the colors of the terminal. */
export function print(
  { stdout, env }: Terminal,
  { json }: { json?: boolean },
  result: object,
  text: (style: Style) => string,
): void {
  if (json) stdout.write(`${JSON.stringify(result, null, 4)}\n`);
  else writeText(stdout, env, text(styleFor(stdout, env)));
}

/** Resolves when a person, or the system, asks the process to end. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** Of this package. */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

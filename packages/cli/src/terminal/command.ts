import { readFileSync } from 'node:fs';
import { GatehouseError, readBudget, snapshotAge } from '@gatehouse/core/values';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { OpenEngine } from '../open/engines.ts';
import type { Progress } from './progress.ts';
import { type Style, styleFor } from './style.ts';
import { readInput, type Terminal, widthOf } from './terminal.ts';
import { writeText } from './wrap.ts';

export interface CommandContext {
  terminal: Terminal;
  openEngine: OpenEngine;
}

export type AddCommand = (program: GatehouseCommand, context: CommandContext) => void;

/** Options of every command. */
export interface CommonOptions {
  /** Absolute once a command runs: the folder of Pulumi.yaml. */
  cwd: string;
  json?: boolean;
  verbose?: boolean;
}

export interface StackOptions extends CommonOptions {
  stack?: string;
}

export interface SeveralOptions extends StackOptions {
  allStacks?: boolean;
  parallel?: number;
}

export interface NamespaceOptions {
  namespace?: string;
}

export interface ReadingOptions {
  readBudget: number;
  tokens?: boolean;
}

export interface EngineOptions {
  engine?: 'local' | 'pulumi';
  plugin?: 'embedded';
}

export interface ReplayOptions {
  replay?: string[];
  showPeople?: boolean;
  hashWith?: string;
}

/** What a log is compared with. */
export interface ServiceOptions extends StackOptions, ReadingOptions, NamespaceOptions {
  live?: boolean;
  snapshot?: string;
  keyFile?: string;
  digest?: string;
  maxAge: string;
  hashWith?: string;
}

/** Stacks at a time, where `--parallel` does not say. */
export const usualParallel = 4;

/** A command of `gatehouse`, and what its commands share: options, and what is below their help. */
export class GatehouseCommand extends Command {
  override createCommand(name?: string): GatehouseCommand {
    return new GatehouseCommand(name);
  }

  /** Adds a command that does something: with the options of every command, and examples below its help. */
  add(name: string, summary: string, examples: string[]): GatehouseCommand {
    const title = examples.length === 1 ? 'Example' : 'Examples';
    return this.command(name)
      .summary(summary)
      .description(summary)
      .option('-C, --cwd <folder>', 'folder of Pulumi.yaml, or a folder in it', '.')
      .option('--json', 'print JSON on standard output')
      .option('--verbose', 'print more, including stack traces of errors')
      .note([`${title}:`, ...examples.map((line) => `  $ ${line}`)].join('\n'));
  }

  /** Adds a paragraph below the help. */
  note(text: string): this {
    return this.addHelpText('after', `\n${text}`);
  }

  choice(flags: string, description: string, choices: readonly string[], preset?: string): this {
    return this.addOption(new Option(flags, description).choices(choices).default(preset));
  }

  /** An option that may be given again: its value is a list. */
  repeatable(flags: string, description: string): this {
    return this.option(flags, description, (text: string, before: string[] = []) => [...before, text]);
  }

  withStack(): this {
    return this.option('-s, --stack <name>', 'the stack (default: $PULUMI_STACK)');
  }

  /** Lets it take several stacks. */
  withSeveral(): this {
    return this.withAllStacks().option(
      '--parallel <number>',
      `how many stacks at a time (default: ${usualParallel})`,
      wholeNumber(1, 99),
    );
  }

  /**
   * Lets a command take several stacks that has a `--parallel` of its own.
   *
   * @param isRefused the command knows the option only to say so
   */
  withAllStacks(isRefused = false): this {
    const option = new Option(
      '--all-stacks',
      'all stacks of the project; -s takes a pattern as well: prod-*',
    );
    return this.addOption(option.hideHelp(isRefused));
  }

  /** For what is about one namespace at a time. */
  withNamespace(): this {
    return this.option('--namespace <path>', 'only this namespace of the stack, as `namespaces` lists it');
  }

  /** How much of a service is read. */
  withReading(): this {
    return this.option(
      '--read-budget <requests>',
      'read what the service has with at most this many requests',
      wholeNumber(1, 99_999_999),
      readBudget,
    ).option('--tokens', 'also read the tokens that were issued; the token needs sudo');
  }

  /** What exceptions and promises are compared with. */
  withBase(): this {
    return this.option(
      '--base <revision>',
      'revision whose exceptions count (default: the merge base of the branch and the default branch of origin)',
    );
  }

  withEngine(): this {
    return this.choice(
      '--engine <name>',
      'who applies it (default: local for a service on this machine, else pulumi if it is on PATH)',
      ['local', 'pulumi'],
    ).choice('--plugin <name>', "with --engine pulumi: use this project's own vault plugin", ['embedded']);
  }

  /** What becomes of requests that an audit log has. */
  withReplay(): this {
    return this.repeatable(
      '--replay <log>',
      'answer the requests of this audit log again after the change, and say who would be refused; repeatable',
    )
      .option('--show-people', 'with --replay: name people and paths')
      .option(
        '--hash-with <device>',
        'with --replay: have this audit device hash the values to compare; needs a token',
      );
  }

  /** What a log is compared with; `-s` and `--live` are the command's own. */
  withSnapshot(): this {
    return this.withReading()
      .withNamespace()
      .addOption(new Option('--snapshot <file>', 'use a snapshot of the service').conflicts('live'))
      .option('--key-file <file>', 'the key of the snapshot')
      .option('--digest <digest>', 'the digest that the snapshot must have')
      .option('--max-age <duration>', 'older snapshots count as incomplete', snapshotAge)
      .option('--hash-with <device>', 'have this audit device hash the values that policies limit');
  }
}

export function limitsOf({ readBudget, tokens = false }: ReadingOptions) {
  return { budget: readBudget, tokens };
}

/** A parser of whole numbers. @param of what they count, as in ` of seconds` */
export function wholeNumber(least: number, most: number, of = ''): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`must be a whole number${of} from ${least} to ${most}`);
  };
}

/** A port, where 0 lets the system choose. */
export const parsePort = wholeNumber(0, 65_535);

/** A time in whole seconds. */
export const parseSeconds = (most: number) => wholeNumber(1, most, ' of seconds');

/**
 * The secret in a file, without the line break that editors end a file with.
 *
 * @throws GatehouseError `file_unreadable`, `secret_invalid`
 */
export async function readSecret(file: string, terminal: Terminal): Promise<string> {
  const text = (await readInput(file, terminal)).replace(/\r?\n$/, '');
  if (!/[\0\ufeff\ufffd]/.test(text)) return text;
  throw new GatehouseError('secret_invalid.encoding', { given: file });
}

/** Prints a result: JSON with `--json`, otherwise text for people, with the colors of the terminal. */
export function print(
  { stdout, env }: Terminal,
  { json }: { json?: boolean },
  result: object,
  text: (style: Style, columns: number | undefined) => string,
): void {
  if (json) stdout.write(jsonText(result));
  else writeText(stdout, env, text(styleFor(stdout, env), widthOf(stdout, env)));
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 4)}\n`;
}

/** Says what is not an error, or is one that no code is for, on standard error. */
export function say({ stderr, env }: Terminal, what: 'warning' | 'error', text: string): void {
  const style = styleFor(stderr, env);
  writeText(stderr, env, `${style[what === 'error' ? 'removed' : 'changed'](`${what}:`)} ${text}\n`);
}

/**
 * Does something with its progress on standard error, which is gone at the end.
 *
 * @param shared the progress of what this is a part of. Defaults to one of its own.
 */
export async function withProgress<Result>(
  terminal: Terminal,
  work: (progress: Progress) => Promise<Result>,
  shared?: Progress,
): Promise<Result> {
  const { Progress } = await import('./progress.ts');
  const progress = shared ?? new Progress(terminal);
  return await work(progress).finally(() => progress.clear());
}

/** Resolves when a person, or the system, asks the process to end. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** The version of this package. */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')).version;
}

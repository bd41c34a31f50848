import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../core/model/values/duration.ts';
import type { ServiceSource } from '../../operations/usage/open-service.ts';
import type { Terminal } from '../rendering/terminal.ts';
import { type addCommand, limitsOf, type ReadingOptions, type StackOptions, withReading } from './command.ts';

/** What a log is compared with. */
export interface ServiceOptions extends StackOptions, ReadingOptions {
  live?: boolean;
  snapshot?: string;
  keyFile?: string;
  digest?: string;
  maxAge: number;
  hashWith?: string;
}

/** Adds what a log is compared with; `-s` and `--live` are the command's own. */
export function withSnapshot<Command extends ReturnType<typeof addCommand>>(command: Command): Command {
  withReading(command)
    .addOption(new Option('--snapshot <file>', 'use a snapshot of the service').conflicts('live'))
    .option('--key-file <file>', 'the key of the snapshot')
    .option('--digest <digest>', 'the digest that the snapshot must have')
    .addOption(
      new Option('--max-age <duration>', 'a snapshot that is older knows nothing for sure')
        .argParser(parseAge)
        .default(129_600, '36h'),
    )
    .option('--hash-with <device>', 'have this audit device hash the values that policies limit');
  return command;
}

/** @param onRead called as the service is read */
export async function serviceOf(
  options: ServiceOptions,
  { cwd, env }: Terminal,
  onRead: NonNullable<ServiceSource['limits']>['onRead'],
): Promise<ServiceSource> {
  const [{ openStack }, { readKeyFile }] = await Promise.all([
    import('../../operations/open-stack.ts'),
    import('../../operations/snapshot.ts'),
  ]);
  const stack = await openStack(options.cwd, options.stack, env);
  const { snapshot, keyFile, digest, maxAge, hashWith } = options;
  return {
    ...{ stack, env, hashWith, now: Date.now() },
    from: options.live ? 'live' : snapshot === undefined ? 'declared' : 'snapshot',
    ...(snapshot !== undefined && {
      snapshot: {
        ...{ digest, maxAge, file: resolve(cwd, snapshot) },
        key: keyFile === undefined ? undefined : await readKeyFile(resolve(cwd, keyFile)),
      },
    }),
    limits: { ...limitsOf(options), ...(onRead && { onRead }) },
  };
}

/** The logs of a command line, and where standard input is. */
export function logsOf(files: readonly string[], { cwd, stdin }: Terminal) {
  return { stdin, files: files.map((file) => (file === '-' ? file : resolve(cwd, file))) };
}

export function parseAge(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds >= 0) return seconds;
  throw new InvalidArgumentError('must be a duration, such as 90d or 36h');
}

import { resolve } from 'node:path';
import { Option } from 'commander';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { ServiceSource } from '../../operations/usage/open-service.ts';
import type { Terminal } from '../rendering/terminal.ts';
import { type addCommand, limitsOf, type ReadingOptions, type StackOptions, withReading } from './command.ts';

/** What a log is compared with. */
export interface ServiceOptions extends StackOptions, ReadingOptions {
  live?: boolean;
  snapshot?: string;
  keyFile?: string;
  digest?: string;
  maxAge: string;
  hashWith?: string;
}

/** Adds what a log is compared with; `-s` and `--live` are the command's own. */
export function withSnapshot<Command extends ReturnType<typeof addCommand>>(command: Command): Command {
  withReading(command)
    .addOption(new Option('--snapshot <file>', 'use a snapshot of the service').conflicts('live'))
    .option('--key-file <file>', 'the key of the snapshot')
    .option('--digest <digest>', 'the digest that the snapshot must have')
    .addOption(
      new Option('--max-age <duration>', 'a snapshot that is older knows nothing for sure').default('36h'),
    )
    .option('--hash-with <device>', 'have this audit device hash the values that policies limit');
  return command;
}

/** @param onRead called as the service is read */
export async function serviceOf(
  options: ServiceOptions,
  { cwd, env: given }: Terminal,
  onRead: NonNullable<ServiceSource['limits']>['onRead'],
): Promise<ServiceSource> {
  const [{ openStack }, { withServiceToken }, { readKeyFile }] = await Promise.all([
    import('../../operations/open-stack.ts'),
    import('../../operations/service-token.ts'),
    import('../../operations/snapshot.ts'),
  ]);
  const stack = await openStack(options.cwd, options.stack, given);
  const { snapshot, keyFile, digest, maxAge, hashWith } = options;
  const isAsked = options.live || hashWith !== undefined;
  const env = isAsked ? await withServiceToken(stack, given) : given;
  return {
    ...{ stack, env, hashWith, now: Date.now() },
    from: options.live ? 'live' : snapshot === undefined ? 'declared' : 'snapshot',
    ...(snapshot !== undefined && {
      snapshot: {
        ...{ digest, maxAge: await secondsOf('--max-age', maxAge), file: resolve(cwd, snapshot) },
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

/**
 * Seconds of a duration that an option gives. Not at once: what reads durations takes long to load.
 *
 * @throws GatehouseError `duration_invalid`
 */
export async function secondsOf(option: string, given: string): Promise<number> {
  const { parseDuration } = await import('../../core/model/values/duration.ts');
  const seconds = parseDuration(given);
  if (seconds !== undefined) return seconds;
  throw new GatehouseError({
    code: 'duration_invalid',
    what: `${option} is not a duration.`,
    given,
    allowed: 'days, hours, minutes and seconds, as 36h or 1d12h',
  });
}

import { resolve } from 'node:path';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../core/model/values/duration.ts';
import type { ServiceSource } from '../../operations/usage/open-service.ts';
import { ExitCode, type Terminal, widthOf } from '../rendering/terminal.ts';
import {
  type AddCommand,
  addCommand,
  limitsOf,
  print,
  type ReadingOptions,
  type StackOptions,
  withReading,
  withStack,
} from './command.ts';

/** What a log is compared with. */
export interface ServiceOptions extends StackOptions, ReadingOptions {
  live?: boolean;
  snapshot?: string;
  keyFile?: string;
  digest?: string;
  maxAge: number;
  hashWith?: string;
}

interface UsageOptions extends ServiceOptions {
  since?: number;
  hashPeople?: boolean;
}

export const addUsage: AddCommand = (program, { terminal }) => {
  const command = addCommand(program, 'usage', 'say from audit logs what is used, and what is not', [
    'gatehouse usage audit.log -s prod --live',
    'gatehouse usage audit.log audit.log.1.gz -s prod --snapshot prod.snapshot --since 90d',
    'kubectl logs bao-0 | gatehouse usage - -s prod',
  ]);
  withLogs(withService(command))
    .option('--hash-people', 'replace names of people by hashes that hold for this report alone')
    .addHelpText('after', '\nExit code 0: the log was read. 1: it cannot be read. Lines are never kept.');
  command.action(async (files: string[], options: UsageOptions) => {
    const [{ usage }, { usageText }, { Progress }] = await Promise.all([
      import('../../operations/usage/usage.ts'),
      import('../rendering/usage-text.ts'),
      import('../rendering/progress.ts'),
    ]);
    const progress = new Progress(terminal);
    const service = await serviceOf(options, terminal, progress.onRead);
    const report = await usage({
      log: logsOf(files, options, terminal),
      service,
      hashPeople: options.hashPeople === true,
    }).finally(() => progress.clear());
    print(terminal, options, report, (style) =>
      usageText(report, style, service.now, widthOf(terminal.stdout, terminal.env)),
    );
    terminal.exitCode = ExitCode.ok;
  });
};

/** Adds the logs that a command reads. */
export function withLogs<Command extends ReturnType<typeof addCommand>>(command: Command): Command {
  command
    .addArgument(new Argument('<logs...>', 'audit logs in JSON, .gz ones too, - for standard input'))
    .option('--since <duration>', 'only what is younger: 90d, 36h', parseAge);
  return command;
}

/** Adds what the logs are compared with. */
export function withService<Command extends ReturnType<typeof addCommand>>(command: Command): Command {
  withReading(withStack(command))
    .option('--live', 'compare with what the service has (default: what the stack declares)')
    .addOption(new Option('--snapshot <file>', 'compare with a snapshot of the service').conflicts('live'))
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

export function logsOf(files: string[], { since }: { since?: number }, { cwd, stdin }: Terminal) {
  return {
    stdin,
    files: files.map((file) => (file === '-' ? file : resolve(cwd, file))),
    ...(since !== undefined && { since: Date.now() - since * 1000 }),
  };
}

function parseAge(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds > 0) return seconds;
  throw new InvalidArgumentError('must be a duration, such as 90d or 36h');
}

import { resolve } from 'node:path';
import { writeText } from '../rendering/wrap.ts';
import {
  type AddCommand,
  addCommand,
  limitsOf,
  type ReadingOptions,
  type StackOptions,
  withReading,
  withStack,
} from './command.ts';

interface SnapshotOptions extends StackOptions, ReadingOptions {
  output: string;
  keyFile?: string;
  names?: boolean;
}

export const addSnapshot: AddCommand = (program, { terminal }) => {
  const summary = 'write what the service has to a file, for reviews without a token';
  const command = addCommand(program, 'snapshot', summary, [
    'gatehouse snapshot -s prod -o prod.snapshot --key-file snapshot.key',
    'gatehouse review plan.json -s prod --snapshot prod.snapshot --key-file snapshot.key',
  ])
    .requiredOption('-o, --output <file>', 'the file to write, one node a line')
    .option('--key-file <file>', 'a key: hashes the names of people, and signs the file')
    .option('--names', 'write names of people as they are');
  withReading(withStack(command)).action(async (options: SnapshotOptions) => {
    const [{ openWithToken }, { readKeyFile, takeSnapshot }, { Progress }] = await Promise.all([
      import('../../operations/service-token.ts'),
      import('../../operations/snapshot.ts'),
      import('../rendering/progress.ts'),
    ]);
    const { cwd } = terminal;
    const { stack, env } = await openWithToken(options.cwd, options.stack, terminal.env);
    const key = options.keyFile === undefined ? undefined : await readKeyFile(resolve(cwd, options.keyFile));
    const file = resolve(cwd, options.output);
    const progress = new Progress(terminal);
    const report = await takeSnapshot({
      ...{ stack, env, file, key, names: options.names === true },
      limits: {
        ...limitsOf(options),
        onRead: progress.onRead,
      },
    }).finally(() => progress.clear());
    if (options.json) {
      terminal.stdout.write(`${JSON.stringify(report, null, 4)}\n`);
      return;
    }
    const { digest, nodes, whole, missing } = report;
    const lines = [
      `Wrote ${nodes} nodes to ${options.output}. Digest: ${digest}`,
      ...(whole ? [] : [`Not read: ${missing.join(', ')}.`]),
    ];
    writeText(terminal.stdout, env, `${lines.join('\n')}\n`);
  });
};

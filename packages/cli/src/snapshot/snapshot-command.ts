import { resolve } from 'node:path';
import {
  type AddCommand,
  limitsOf,
  type NamespaceOptions,
  print,
  type ReadingOptions,
  type StackOptions,
  withProgress,
} from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface SnapshotCommandOptions extends StackOptions, ReadingOptions, NamespaceOptions {
  output: string;
  keyFile?: string;
  names?: boolean;
}

export const addSnapshot: AddCommand = (program, { terminal }) => {
  program
    .add('snapshot', 'write what the service has to a file, for reviews without a token', [
      'gatehouse snapshot -s prod -o prod.snapshot --key-file snapshot.key',
      'gatehouse review plan.json -s prod --snapshot prod.snapshot --key-file snapshot.key',
    ])
    .requiredOption('-o, --output <file>', 'the file to write, one node per line')
    .option('--key-file <file>', 'a key: hashes the names of people, and signs the file')
    .option('--names', 'write names of people as they are')
    .withStack()
    .withReading()
    .withNamespace()
    .action((options: SnapshotCommandOptions) => run(options, terminal));
};

async function run(options: SnapshotCommandOptions, terminal: Terminal): Promise<void> {
  const [{ openWithToken }, { readKeyFile, takeSnapshot }] = await Promise.all([
    import('../open/service-token.ts'),
    import('./snapshot.ts'),
  ]);
  const { namespace, keyFile, output, names = false } = options;
  const path = (file: string) => resolve(terminal.cwd, file);
  const { stack, env } = await openWithToken(options.cwd, options.stack, terminal.env);
  const key = keyFile === undefined ? undefined : await readKeyFile(path(keyFile));
  const request = { stack: { ...stack, namespace }, env, file: path(output), key, names };
  const report = await withProgress(terminal, ({ onRead }) =>
    takeSnapshot({ ...request, limits: { ...limitsOf(options), onRead } }),
  );
  const { digest, nodes, whole, missing } = report;
  print(terminal, options, report, () =>
    [
      `Wrote ${nodes} nodes to ${output}. Digest: ${digest}\n`,
      whole ? '' : `Not read: ${missing.join(', ')}.\n`,
    ].join(''),
  );
}

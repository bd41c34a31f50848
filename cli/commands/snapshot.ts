import { resolve } from 'node:path';
import { readBudget } from '../../core/model/values/budget.ts';
import { writeText } from '../rendering/wrap.ts';
import { type AddCommand, addCommand, type StackOptions, withReadBudget, withStack } from './command.ts';

interface SnapshotOptions extends StackOptions {
  output: string;
  keyFile?: string;
  names?: boolean;
  readBudget?: number;
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
  withReadBudget(withStack(command)).action(async (options: SnapshotOptions) => {
    const [{ openStack }, { readKeyFile, takeSnapshot }] = await Promise.all([
      import('../../operations/open-stack.ts'),
      import('../../operations/snapshot.ts'),
    ]);
    const { env, cwd } = terminal;
    const stack = await openStack(options.cwd, options.stack, env);
    const key = options.keyFile === undefined ? undefined : await readKeyFile(resolve(cwd, options.keyFile));
    const file = resolve(cwd, options.output);
    const budget = options.readBudget ?? readBudget;
    const report = await takeSnapshot({ stack, env, file, budget, key, names: options.names === true });
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

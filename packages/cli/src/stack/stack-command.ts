import { relative } from 'node:path';
import { largestOf } from '@gatehouse/core/values';
import {
  type AddCommand,
  type CommandContext,
  type CommonOptions,
  type EngineOptions,
  type GatehouseCommand,
  print,
  type StackOptions,
} from '../terminal/command.ts';
import { printable, type Style } from '../terminal/style.ts';
import type { ListedStack } from './stacks.ts';

interface OutputOptions extends StackOptions, EngineOptions {
  showSecrets?: boolean;
}

export const addStack: AddCommand = (program, context) => {
  const group = program.command('stack').summary('list stacks, make one, or print the outputs of one');
  addList(group, context);
  addInit(group, context);
  addOutput(group, context);
};

function addList(group: GatehouseCommand, { terminal }: CommandContext): void {
  group
    .add('ls', 'list the stacks of the folder, and when each was last changed', ['gatehouse stack ls'])
    .note('When is known of the local engine alone. Needs no passphrase.')
    .action(async (options: CommonOptions) => {
      const { describeStacks } = await import('./stacks.ts');
      const stacks = await describeStacks(options.cwd, terminal.env);
      print(terminal, options, { stacks }, (style) => stacksText(stacks, style));
    });
}

function addInit(group: GatehouseCommand, { terminal }: CommandContext): void {
  group
    .add('init', 'make an empty stack: Pulumi.<stack>.yaml with an encryption salt', [
      'gatehouse stack init staging',
    ])
    .argument('<stack>', 'name of the stack')
    .note('Never overwrites a file.')
    .action(async (stack: string, options: CommonOptions) => {
      const { createStackFile } = await import('./stacks.ts');
      const file = await createStackFile(options.cwd, stack, terminal.env);
      print(terminal, options, { stack, file }, () => `Wrote ${relative(terminal.cwd, file)}.\n`);
    });
}

function addOutput(group: GatehouseCommand, context: CommandContext): void {
  group
    .add('output', 'print the outputs of the last deployment', [
      'gatehouse stack output -s dev',
      'gatehouse stack output -s dev address',
    ])
    .argument('[name]', 'print the value of this output alone')
    .option('--show-secrets', 'print secrets, instead of [secret]')
    .withStack()
    .withEngine()
    .action((name: string | undefined, options: OutputOptions) => runOutput(name, options, context));
}

async function runOutput(
  name: string | undefined,
  options: OutputOptions,
  { terminal, openEngine }: CommandContext,
): Promise<void> {
  const [{ openStack }, { outputNamed, stackOutputs }, { valueText }] = await Promise.all([
    import('../open/open-stack.ts'),
    import('./stacks.ts'),
    import('../up/value-text.ts'),
  ]);
  const { env, stdout } = terminal;
  const stack = await openStack(options.cwd, options.stack, env);
  const { engine } = await openEngine(options, stack, env);
  const outputs = await stackOutputs(stack, engine, { env, showSecrets: options.showSecrets === true });
  if (name === undefined) {
    print(terminal, options, outputs, () =>
      Object.entries(outputs)
        .map(([key, value]) => `${printable(key)}: ${valueText(value)}\n`)
        .join(''),
    );
    return;
  }
  const value = outputNamed(outputs, name);
  // Bare, for scripts: a text without quotes.
  if (options.json) stdout.write(`${JSON.stringify(value)}\n`);
  else stdout.write(`${typeof value === 'string' ? value : valueText(value)}\n`);
}

function stacksText(stacks: ListedStack[], style: Style): string {
  if (stacks.length === 0) return 'There are no stacks. Make one with: gatehouse stack init NAME\n';
  const rows = stacks.map(({ name, address, lastChange, problem }) => [
    name,
    address ?? 'no address',
    problem ?? (lastChange === undefined ? 'not applied here' : `changed ${lastChange}`),
  ]);
  const width = (column: number) => largestOf(rows.map((row) => row[column]?.length ?? 0));
  return rows
    .map(
      ([name = '', address = '', rest = '']) =>
        `${style.strong(printable(name).padEnd(width(0)))}  ${printable(address).padEnd(width(1))}  ${printable(rest)}\n`,
    )
    .join('');
}

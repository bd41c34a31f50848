import { resolve } from 'node:path';
import {
  type AddCommand,
  addCommand,
  type EngineOptions,
  type StackOptions,
  withEngine,
  withStack,
} from './command.ts';

export const addStateExport: AddCommand = (program, { terminal, openEngine }) => {
  const state = program.command('state').summary('work with the state of a stack');
  const command = addCommand(
    state,
    'export',
    'print the state as a Pulumi deployment, with secrets encrypted',
    ['gatehouse state export -s dev > state.json && pulumi stack import --file state.json'],
  );
  withEngine(withStack(command)).action(async (options: StackOptions & EngineOptions) => {
    const { openStack } = await import('../../operations/open-stack.ts');
    const stack = await openStack(resolve(terminal.cwd, options.cwd), options.stack, terminal.env);
    const { engine } = await openEngine(options, stack, terminal.env);
    terminal.stdout.write(`${JSON.stringify(await engine.exportState(stack), null, 4)}\n`);
  });
};

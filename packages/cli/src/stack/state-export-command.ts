import { type AddCommand, type EngineOptions, jsonText, type StackOptions } from '../terminal/command.ts';

/** The part of an exported deployment that is looked at here. */
interface PendingOperations {
  deployment?: { pending_operations?: unknown[] };
}

export const addStateExport: AddCommand = (program, { terminal, openEngine }) => {
  const state = program.command('state').summary('work with the state of a stack');
  const command = state.add('export', 'print the state as a Pulumi deployment, with secrets encrypted', [
    'gatehouse state export -s dev > state.json && pulumi stack import --file state.json',
  ]);
  command
    .withStack()
    .withEngine()
    .action(async (options: StackOptions & EngineOptions) => {
      const { openStack } = await import('../open/open-stack.ts');
      const stack = await openStack(options.cwd, options.stack, terminal.env);
      const { engine } = await openEngine(options, stack, terminal.env);
      const state = await engine.exportState(stack);
      const pending = (state as PendingOperations).deployment?.pending_operations?.length ?? 0;
      if (pending > 0) {
        terminal.stderr.write(
          `warning: ${pending} pending, as a run was interrupted: \`pulumi stack import\` drops what it had begun.\n  \`gatehouse up\` settles it. Then export again (docs/engines.md).\n`,
        );
      }
      terminal.stdout.write(jsonText(state));
    });
};

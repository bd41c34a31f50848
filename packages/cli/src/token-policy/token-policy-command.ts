import { type AddCommand, type EngineOptions, print, type StackOptions, say } from '../terminal/command.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { given, printable, type Style } from '../terminal/style.ts';
import type { TokenPolicyFiles } from './token-policy.ts';

interface TokenPolicyOptions extends StackOptions, EngineOptions {
  whole?: boolean;
}

export const addTokenPolicy: AddCommand = (program, { terminal, openEngine }) => {
  program
    .add('token-policy', 'write the least policies for deploying, planning and reading a stack', [
      'gatehouse token-policy -s prod',
      'gatehouse token-policy -s prod --whole',
    ])
    .option('--whole', 'also read what others have on the service, for reviews and drift --unmanaged')
    .withStack()
    .withEngine()
    .note(
      'Reads what the stack declares and its state: needs no token, and asks no service. Writes token-policies/<stack>/.',
    )
    .action(async (options: TokenPolicyOptions) => {
      const [{ openStack }, { openNamespaces }, states, { writeTokenPolicies }] = await Promise.all([
        import('../open/open-stack.ts'),
        import('../open/open-environment.ts'),
        import('../open/open-state.ts'),
        import('./token-policy.ts'),
      ]);
      const { env } = terminal;
      const stack = await openStack(options.cwd, options.stack, env);
      const fromState = await states.openMade(stack, env, openEngine, options);
      const declared = fromState ?? (await openNamespaces(stack, env));
      const { namespace } = declared[0].environment.service;
      const state = await states.openStateGraphs(stack, env, openEngine, options, namespace);
      if (state.note !== undefined) say(terminal, 'warning', `${state.note} ${stateNeeded}`);
      const written = await writeTokenPolicies(
        stack.directory,
        stack.name,
        declared,
        state.namespaces,
        options.whole === true,
      );
      print(terminal, options, written, (style) => tokenPolicyText(written, style));
    });
};

const stateNeeded = 'Renaming and removing need what the state has.';

/** Where they are, and how they become tokens. */
function tokenPolicyText({ namespace, policies, left }: TokenPolicyFiles, style: Style): string {
  const at = namespace === undefined ? '' : ` -namespace=${shellWord(namespace)}`;
  const [first] = policies;
  return `${given(
    style.strong(`Written: ${policies.length} policies`),
    policies.map(({ file, use }) => `  ${printable(file)}  for ${use}`),
    left.length > 0 && ['', 'Not in them, so write by hand:', ...left.map((name) => `  ${printable(name)}`)],
    '',
    'As an administrator (bao takes the same):',
    policies.map(({ name, file }) => `  vault policy write${at} ${shellWord(name)} ${shellWord(file)}`),
    `  vault token create${at} -policy=${shellWord(first?.name ?? '')} -no-default-policy -orphan -ttl=1h`,
  ).join('\n')}\n`;
}

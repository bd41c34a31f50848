import { resolve } from 'node:path';
import { Option } from 'commander';
import { ExitCode, type Terminal } from '../rendering/terminal.ts';
import { type AddCommand, addCommand, type StackOptions, withStack } from './command.ts';

interface ExplainOptions extends StackOptions {
  role: string;
  method?: string;
  token?: string;
  claims?: string;
  live?: boolean;
}

export const addExplain: AddCommand = (program, { terminal }) => {
  const command = addCommand(
    program,
    'explain',
    'say whether a token signs in, with which policies, or why not',
    [
      'gatehouse explain -s prod --role web --token token.jwt',
      'gatehouse explain -s prod --role reader --method staff --claims claims.json --live',
      'echo \'{"sub":"alice","aud":"app"}\' | gatehouse explain -s dev --role web --claims -',
    ],
  )
    .requiredOption('--role <name>', 'the role')
    .option('--method <path>', 'path of the auth method, where several have such a role')
    .addOption(
      new Option('--token <file>', 'a token (JWT) in a file, - for standard input').conflicts('claims'),
    )
    .option('--claims <file>', 'claims alone, as JSON, in a file, - for standard input')
    .option('--live', 'judge by what the service holds, and fetch the keys of issuers')
    .addHelpText(
      'after',
      '\nExit code 2: it does not sign in. Nothing is sent to the service but reads, with --live.',
    );
  withStack(command).action(async (options: ExplainOptions) => {
    const [{ explain }, { openStack }, { styleFor }, { explanationText }, { readPresented }] =
      await Promise.all([
        import('../../operations/explain.ts'),
        import('../../operations/open-stack.ts'),
        import('../rendering/style.ts'),
        import('../rendering/explanation-text.ts'),
        import('../../operations/presented.ts'),
      ]);
    const presented = await readPresented(await textsOf(options, terminal));
    const stack = await openStack(resolve(terminal.cwd, options.cwd), options.stack, terminal.env);
    const explanation = await explain({
      stack,
      env: terminal.env,
      role: options.role,
      presented,
      live: options.live === true,
      now: BigInt(Date.now()) * 1_000_000n,
      ...(options.method === undefined ? {} : { method: options.method }),
    });
    terminal.stdout.write(
      options.json
        ? `${JSON.stringify(explanation, null, 4)}\n`
        : explanationText(explanation, styleFor(terminal.stdout, terminal.env)),
    );
    terminal.exitCode = explanation.signsIn ? ExitCode.ok : ExitCode.no;
  });
};

/** What `--token` and `--claims` lead to. */
async function textsOf({ token, claims }: ExplainOptions, terminal: Terminal) {
  const { readInput } = await import('../rendering/terminal.ts');
  return {
    ...(token === undefined ? {} : { token: await readInput(token, terminal) }),
    ...(claims === undefined ? {} : { claims: await readInput(claims, terminal) }),
  };
}

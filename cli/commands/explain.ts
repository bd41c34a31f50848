import { isIP } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import { ExitCode, readInput } from '../rendering/terminal.ts';
import { type AddCommand, addCommand, print, type StackOptions, withStack } from './command.ts';

interface ExplainOptions extends StackOptions {
  role: string;
  method?: string;
  token?: string;
  claims?: string;
  live?: boolean;
  from?: string;
}

function parseAddress(text: string): string {
  if (isIP(text) !== 0) return text;
  throw new InvalidArgumentError('must be an IP address');
}

export const addExplain: AddCommand = (program, { terminal }) => {
  const command = addCommand(
    program,
    'explain',
    'explain whether a token signs in, with which policies, or why not',
    [
      'gatehouse explain -s prod --role web --token token.jwt',
      'gatehouse explain -s prod --role reader --method staff --claims claims.json --live',
      'echo \'{"sub":"alice","aud":"app"}\' | gatehouse explain -s dev --role web --claims -',
    ],
  )
    .requiredOption('--role <name>', 'the role')
    .option('--method <path>', 'path of the auth method, if several have a role of this name')
    .addOption(
      new Option('--token <file>', 'file with a token (JWT), - for standard input').conflicts('claims'),
    )
    .option('--claims <file>', 'file with only the claims, as JSON, - for standard input')
    .option('--live', 'use the state of the service, and fetch the keys of issuers')
    .option(
      '--from <address>',
      'address that the sign-in comes from (default: one that the role allows)',
      parseAddress,
    )
    .addHelpText(
      'after',
      '\nExit code 2: does not sign in. Contacts the service only with --live, and only reads.',
    );
  withStack(command).action(async (options: ExplainOptions) => {
    const [{ explain }, { readPresented }, { openStack }, { explanationText }] = await Promise.all([
      import('../../operations/explain.ts'),
      import('../../operations/explain-token.ts'),
      import('../../operations/open-stack.ts'),
      import('../rendering/explanation-text.ts'),
    ]);
    const { token, claims } = options;
    const presented = readPresented({
      token: token && (await readInput(token, terminal)),
      claims: claims && (await readInput(claims, terminal)),
    });
    const stack = await openStack(options.cwd, options.stack, terminal.env);
    const explanation = await explain({
      stack,
      env: terminal.env,
      role: options.role,
      presented,
      live: options.live === true,
      now: BigInt(Date.now()) * 1_000_000n,
      method: options.method,
      from: options.from,
    });
    print(terminal, options, explanation, (style) => explanationText(explanation, style));
    terminal.exitCode = explanation.signsIn ? ExitCode.ok : ExitCode.no;
  });
};

import { isIP } from 'node:net';
import { GatehouseError } from '@gatehouse/core/values';
import { InvalidArgumentError, Option } from 'commander';
import { type AddCommand, print, type ServiceOptions, withProgress } from '../terminal/command.ts';
import { ExitCode, readInput, type Terminal } from '../terminal/terminal.ts';
import { logsOf, serviceOf } from '../usage/service-options.ts';

interface ExplainOptions extends ServiceOptions {
  role?: string;
  request?: string;
  method?: string;
  token?: string;
  claims?: string;
  live?: boolean;
  from?: string;
}

function parseIpAddress(text: string): string {
  if (isIP(text) !== 0) return text;
  throw new InvalidArgumentError('must be an IP address');
}

export const addExplain: AddCommand = (program, { terminal }) => {
  program
    .add('explain', 'explain whether a token signs in, or why a request was refused', [
      'gatehouse explain -s prod --role web --token token.jwt',
      'gatehouse explain -s prod --role reader --method staff --claims claims.json --live',
      'gatehouse explain -s prod --request 3774bb7d-777f-b07c-502d-7da6dff0344f audit.log --live',
      'echo \'{"sub":"alice","aud":"app"}\' | gatehouse explain -s dev --role web --claims -',
    ])
    .argument('[logs...]', 'with --request: audit logs in JSON, .gz ones too, - for standard input')
    .addOption(new Option('--role <name>', 'the role').conflicts('request'))
    .addOption(
      new Option('--request <id>', 'a request of an audit log: why it was refused').conflicts([
        'role',
        'method',
        'token',
        'claims',
        'from',
      ]),
    )
    .option('--method <path>', 'path of the auth method, if several have a role of this name')
    .addOption(
      new Option('--token <file>', 'file with a token (JWT), - for standard input').conflicts('claims'),
    )
    .option('--claims <file>', 'file with only the claims, as JSON, - for standard input')
    .option('--live', 'use the state of the service, and fetch the keys of issuers')
    .option(
      '--from <address>',
      'address that the sign-in comes from (default: one that the role allows)',
      parseIpAddress,
    )
    .withStack()
    .withSnapshot()
    .note(
      'Exit code 2: does not sign in, or no such request. Contacts the service only with --live, and only reads.',
    )
    .action((logs: string[], options: ExplainOptions) =>
      options.request === undefined
        ? explainRole(logs, options, terminal)
        : explainLogged(options.request, logs, options, terminal),
    );
};

async function explainRole(logs: string[], options: ExplainOptions, terminal: Terminal): Promise<void> {
  const { role, token, claims, namespace, live = false, method, from } = options;
  if (role === undefined) {
    throw new GatehouseError('option_missing.explain');
  }
  if (logs.length > 0 || options.snapshot !== undefined) throw new GatehouseError('option_conflict.request');
  const [{ explain }, { readPresented }, { openStack }, { withServiceToken }, { explanationText }, words] =
    await Promise.all([
      import('./explain.ts'),
      import('./explain-token.ts'),
      import('../open/open-stack.ts'),
      import('../open/service-token.ts'),
      import('./explanation-text.ts'),
      import('@gatehouse/core/words'),
    ]);
  const presented = readPresented({
    token: token && (await readInput(token, terminal)),
    claims: claims && (await readInput(claims, terminal)),
  });
  const stack = { ...(await openStack(options.cwd, options.stack, terminal.env)), namespace };
  const env = live ? await withServiceToken(stack, terminal.env) : terminal.env;
  const now = BigInt(Date.now()) * 1_000_000n;
  const explanation = await explain({ stack, env, role, presented, live, now, method, from });
  const notes = explanation.notes.map((note) => ({ ...note, words: words.signInNoteWords(note) }));
  print(terminal, options, { ...explanation, notes }, (style) => explanationText(explanation, style));
  terminal.exitCode = explanation.signsIn ? ExitCode.ok : ExitCode.no;
}

async function explainLogged(
  id: string,
  logs: string[],
  options: ExplainOptions,
  terminal: Terminal,
): Promise<void> {
  if (logs.length === 0) {
    throw new GatehouseError('argument_missing.logs');
  }
  const [{ explainRequest }, { requestJson, requestText }] = await Promise.all([
    import('./explain-request.ts'),
    import('./request-text.ts'),
  ]);
  const explained = await withProgress(terminal, async ({ onRead }) =>
    explainRequest({ id, log: logsOf(logs, terminal), service: await serviceOf(options, terminal, onRead) }),
  );
  print(terminal, options, requestJson(explained), (style, columns) =>
    requestText(explained, style, { columns }),
  );
  terminal.exitCode = 'found' in explained ? ExitCode.no : ExitCode.ok;
}

import { GatehouseError, limits } from '@gatehouse/core/values';
import type { SignedInToken } from '../open/login.ts';
import { type AddCommand, type CommonOptions, parsePort, parseSeconds, print } from '../terminal/command.ts';
import { printable, type Style } from '../terminal/style.ts';
import { ExitCode, readInput, type Terminal } from '../terminal/terminal.ts';

interface LoginOptions extends CommonOptions {
  address?: string;
  namespace?: string;
  role?: string;
  path?: string;
  jwt?: string;
  browser: boolean;
  port: number;
  timeout: number;
}

export const addLogin: AddCommand = (program, { terminal }) => {
  program
    .add('login', 'sign in to a secrets service, by browser or with a JWT', [
      'gatehouse login --role reader --path staff',
      'gatehouse login --role web --path cluster --jwt token.txt',
    ])
    .option('--address <url>', 'address of the secrets service (default: $VAULT_ADDR)')
    .option('--namespace <path>', 'namespace of the auth method (default: $VAULT_NAMESPACE)')
    .option('--role <name>', "role to sign in to (default: the auth method's default role)")
    .option('--path <path>', 'path of the auth method (default: oidc, or jwt with --jwt)')
    .option('--jwt <file>', 'sign in with the token in this file, - for standard input')
    .option('--no-browser', 'print the address to sign in at, but do not open a browser')
    .option(
      '--port <number>',
      'loopback port that the provider redirects to, 0 for any',
      parsePort,
      limits.cliRedirectPort,
    )
    .option('--timeout <seconds>', 'how long to wait for the browser', parseSeconds(600), 120)
    .note('Prints the token, which is a secret. Exit code 2: not signed in.')
    .action(async (options: LoginOptions) => {
      const { NotSignedIn } = await import('../open/login.ts');
      try {
        const signedIn = await login(options, terminal);
        const result = { result: 'signed_in', ...signedIn };
        print(terminal, options, result, (style) => loginText(signedIn, style));
      } catch (error) {
        if (!(error instanceof NotSignedIn)) throw error;
        const { reportError } = await import('../terminal/report-error.ts');
        reportError(error, terminal, { json: options.json === true, verbose: options.verbose === true });
        terminal.exitCode = ExitCode.no;
      }
    });
};

async function login(options: LoginOptions, terminal: Terminal): Promise<SignedInToken> {
  const [{ loginWithBrowser, loginWithToken, openBrowser }, { openService }] = await Promise.all([
    import('../open/login.ts'),
    import('../open/open-client.ts'),
  ]);
  const { role, jwt: file } = options;
  const method = options.path?.replace(/^\/+|\/+$/g, '') || (file === undefined ? 'oidc' : 'jwt');
  const jwt = file === undefined ? undefined : await readJwt(file, terminal);
  const client = openService(options, terminal.env);
  try {
    if (jwt !== undefined) return await loginWithToken({ client, role, jwt, method });
    return await loginWithBrowser({
      client,
      role,
      method,
      port: options.port,
      timeoutMs: options.timeout * 1000,
      onAuthUrl(url) {
        const doing = options.browser ? 'Opening a browser. If none opens, go to:' : 'Go to:';
        terminal.stderr.write(`${doing}\n\n  ${url.href}\n\nWaiting …\n`);
        if (options.browser) openBrowser(url, terminal.env);
      },
    });
  } finally {
    client.close();
  }
}

async function readJwt(file: string, terminal: Terminal): Promise<string> {
  const token = (await readInput(file, terminal)).trim();
  if (token !== '') return token;
  throw new GatehouseError('jwt_missing', { given: file === '-' ? 'standard input' : file });
}

/** The result of a sign-in, with the token: the command exists to print it. */
function loginText(signedIn: SignedInToken, style: Style): string {
  const { token, accessor, metadata, leaseSeconds, renewable, identityPolicies, policies } = signedIn;
  const { role = '', ...mapped } = metadata;
  const rows = [
    ['Token', token],
    ['Accessor', accessor],
    ['Policies', policies.join(', ')],
    ...(identityPolicies.length === 0 ? [] : [['of groups', identityPolicies.join(', ')]]),
    ['Lasts', `${leaseSeconds} seconds${renewable ? ', renewable' : ''}`],
    ...Object.entries(mapped),
  ];
  const lines = rows.map(([name = '', value = '']) => `  ${printable(name).padEnd(10)}${printable(value)}`);
  return `${style.added('Signed in')} as ${printable(role)}\n${lines.join('\n')}\n`;
}

import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import {
  type AddCommand,
  addCommand,
  parsePort,
  print,
  type StackOptions,
  untilStopped,
  version,
  withStack,
} from './command.ts';

interface ServeOptions extends StackOptions {
  port: number;
  host: string;
  home?: string;
  endpoints?: string;
  publicUrl?: string;
  allowOrigin?: string[];
}

export const addServe: AddCommand = (program, { terminal }) => {
  const command = addCommand(program, 'serve', 'receive run tasks and review them, until stopped', [
    'GATEHOUSE_RUN_TASK_KEY=… gatehouse serve',
    'gatehouse serve --endpoints endpoints.yaml --allow-origin https://app.terraform.io',
    'DATABASE_URL=postgres://… gatehouse serve -s prod --port 8300',
  ])
    .option('--port <number>', 'port to listen on, 0 for any', parsePort, 8300)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--home <folder>', 'folder of the store (default: $GATEHOUSE_HOME, or .gatehouse)')
    .option(
      '--endpoints <file>',
      'YAML file of endpoints, with their stacks and the environment variables of their keys',
    )
    .option(
      '--public-url <url>',
      'address at which others reach it (default: $GATEHOUSE_PLATFORM_ADDRESS, or where it listens)',
    )
    .option(
      '--allow-origin <url>',
      'only call platforms of this origin; repeatable (default: the public internet)',
      collectOrigin,
    )
    .addHelpText(
      'after',
      '\nStores in a folder, or in the PostgreSQL of DATABASE_URL. Logs to standard error.',
    );
  withStack(command).action(async (options: ServeOptions) => {
    const { cwd, env, stderr } = terminal;
    const [{ serve }, { readEndpoints }] = await Promise.all([
      import('../../operations/serve/serve.ts'),
      import('../../operations/serve/endpoints.ts'),
    ]);
    const directory = options.cwd;
    const file = options.endpoints === undefined ? undefined : resolve(cwd, options.endpoints);
    const endpoints = await readEndpoints(file, options.stack, env);
    const home = options.home ?? env['GATEHOUSE_HOME'];
    const served = await serve({
      ...{ directory, env, endpoints, port: options.port, host: options.host, version: version() },
      home: home ? resolve(cwd, home) : resolve(directory, '.gatehouse'),
      publicUrl: options.publicUrl,
      allowedOrigins: options.allowOrigin,
      logTo: { write: (line) => void stderr.write(line) },
    });
    // Before anything is printed: its reader may stop this at once.
    const stopped = untilStopped();
    try {
      const { address, isPlatform } = served;
      const urls = endpoints.map(({ name }) => `${address}/integrator/${name}`);
      const deployments = isPlatform
        ? `Deployments\n  ${address}/ui/\n`
        : 'Deployments  none: VAULT_ADDR is not set, so nobody can be identified\n';
      print(terminal, options, { address, endpoints: urls, isPlatform }, () =>
        ['Run tasks', ...urls.map((url) => `  ${url}`), deployments].join('\n'),
      );
      await stopped;
    } finally {
      await served.close();
    }
  });
};

function collectOrigin(text: string, before: string[] = []): string[] {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return [...before, url.origin];
  throw new InvalidArgumentError('must be http:// or https:// and a host, with a port if needed');
}

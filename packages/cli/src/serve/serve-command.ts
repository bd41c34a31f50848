import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { GatehouseError, visible } from '@gatehouse/core/values';
import { InvalidArgumentError } from 'commander';
import {
  type AddCommand,
  parsePort,
  print,
  type StackOptions,
  untilStopped,
  version,
} from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { WatchSettings } from './serve.ts';

/** Shortest and longest time between two readings of a stack, in seconds. */
const shortestEvery = 10;
const longestEvery = 24 * 60 * 60;

interface ServeOptions extends StackOptions {
  port: number;
  host: string;
  home?: string;
  endpoints?: string;
  publicUrl?: string;
  allowOrigin?: string[];
  trustedProxy?: string[];
  peopleNamespace?: string;
  signIn?: string;
  reviewKey?: string;
  auditLog?: string[];
  watch?: true | string[];
  checkout?: string;
  every?: string;
  unmanaged?: boolean;
  notify?: string;
}

export const addServe: AddCommand = (program, { terminal }) => {
  program
    .add('serve', 'receive run tasks and review them, until stopped', [
      'GATEHOUSE_RUN_TASK_KEY=… gatehouse serve',
      'gatehouse serve --endpoints endpoints.yaml --allow-origin https://app.terraform.io',
      'DATABASE_URL=postgres://… gatehouse serve -s prod --port 8300',
      "gatehouse serve --watch 'prod-*' --checkout /srv/login --notify https://hooks.example.com/drift",
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
    .option(
      '--people-namespace <path>',
      'namespace of the service in which people are identified (default: $VAULT_NAMESPACE, or root)',
    )
    .option('--sign-in <file>', 'YAML file of an issuer at which people sign in to the pages')
    .option('--review-key <file>', 'private key that signs the reviews of deployments, as PEM')
    .repeatable(
      '--audit-log <file>',
      'audit log of the service, followed: reviews then say what was last used; repeatable',
    )
    .option(
      '--trusted-proxy <address>',
      'address or range of a proxy whose X-Forwarded-For counts; repeatable (default: none)',
      collectProxy,
    )
    .option('--watch [pattern...]', 'check these stacks for drift continuously (default: all)')
    .option('--checkout <folder>', 'with --watch: folder to compare with (default: this project)')
    .option('--every <duration>', 'with --watch: time between two readings of a stack (default: 5m)')
    .option('--unmanaged', 'with --watch: also show what is on the service but not declared')
    .option('--notify <url>', 'with --watch: address that gets new drift, failures and their end by POST')
    .withStack()
    .note('Stores in a folder, or in the PostgreSQL of DATABASE_URL. Logs to standard error.')
    .action((options: ServeOptions) => run(options, terminal));
};

async function run(options: ServeOptions, terminal: Terminal): Promise<void> {
  const { cwd, env, stderr } = terminal;
  const [{ serve }, { readEndpoints }, { readSignIn }] = await Promise.all([
    import('./serve.ts'),
    import('./endpoints.ts'),
    import('./sign-in.ts'),
  ]);
  const directory = options.cwd;
  const file = options.endpoints === undefined ? undefined : resolve(cwd, options.endpoints);
  const watch = await watchSettings(options, terminal);
  // A watch alone receives no run task.
  const isOnlyWatch = watch !== undefined && file === undefined && !env['GATEHOUSE_RUN_TASK_KEY'];
  const endpoints = isOnlyWatch ? [] : await readEndpoints(file, options.stack, env);
  const signIn = options.signIn && (await readSignIn(resolve(cwd, options.signIn), env));
  const signer = options.reviewKey && (await readSigner(resolve(cwd, options.reviewKey)));
  const home = options.home ?? env['GATEHOUSE_HOME'];
  const served = await serve({
    directory,
    env,
    endpoints,
    port: options.port,
    host: options.host,
    version: version(),
    home: home ? resolve(cwd, home) : resolve(directory, '.gatehouse'),
    publicUrl: options.publicUrl,
    allowedOrigins: options.allowOrigin,
    trustedProxies: options.trustedProxy,
    peopleNamespace: options.peopleNamespace,
    auditLogs: (options.auditLog ?? []).map((path) => resolve(cwd, path)),
    ...(signIn && { signIn }),
    ...(signer && { signer }),
    ...(watch && { watch }),
    logTo: { write: (line) => void stderr.write(visible(line)) },
  });
  // Before anything is printed: its reader may stop this at once.
  const stopped = untilStopped();
  try {
    const { address, isPlatform, watched } = served;
    const urls = endpoints.map(({ name }) => `${address}/integrator/${name}`);
    const deployments = isPlatform
      ? `Deployments\n  ${address}/ui/\n`
      : 'Deployments  none: VAULT_ADDR is not set, so no one can be identified\n';
    const watching = watch && `Watch\n  ${watched} stacks${isPlatform ? `  ${address}/ui/watch` : ''}`;
    print(terminal, options, { address, endpoints: urls, isPlatform, ...(watch && { watched }) }, () =>
      ['Run tasks', ...urls.map((url) => `  ${url}`), ...(watching ? [watching] : []), deployments].join(
        '\n',
      ),
    );
    await stopped;
  } finally {
    await served.close();
  }
}

/** @throws GatehouseError `signing_key_unusable`, `file_unreadable` */
async function readSigner(file: string) {
  const [{ signerOf }, { readText }] = await Promise.all([
    import('@gatehouse/core/statement'),
    import('../open/read-text.ts'),
  ]);
  return signerOf(await readText(file, 'key'));
}

/** Undefined without `--watch`. @throws GatehouseError `option_conflict`, `argument_invalid` */
async function watchSettings(
  { cwd: project, watch, checkout, every, unmanaged = false, notify }: ServeOptions,
  { cwd }: Terminal,
): Promise<WatchSettings | undefined> {
  if (watch === undefined) {
    if ([checkout, every, notify].every((option) => option === undefined) && !unmanaged) return undefined;
    throw new GatehouseError('option_conflict.watch');
  }
  const [{ parseDuration }, { findProject }, { watchedDrift }] = await Promise.all([
    import('@gatehouse/core/graph'),
    import('../open/find-project.ts'),
    import('../drift/drift-text.ts'),
  ]);
  const everySeconds = parseDuration(every ?? '5m') ?? 0;
  if (everySeconds < shortestEvery || everySeconds > longestEvery) {
    throw new GatehouseError('argument_invalid.every', {
      where: '--every',
      given: every,
      allowed: '10s to 24h',
    });
  }
  return {
    patterns: watch === true ? ['*'] : watch,
    checkout: checkout === undefined ? project : findProject(resolve(cwd, checkout)),
    everySeconds,
    unmanaged,
    notify,
    describe: watchedDrift,
  };
}

function collectOrigin(text: string, before: string[] = []): string[] {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return [...before, url.origin];
  throw new InvalidArgumentError('must be http:// or https:// and a host, with a port if needed');
}

/** A range of nearly all addresses would let every sender choose its own. */
const shortestPrefix = 8;

function collectProxy(text: string, before: string[] = []): string[] {
  const [, address = '', length] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const prefix = Number(length ?? bits);
  if (bits > 0 && prefix >= shortestPrefix && prefix <= bits) return [...before, text];
  throw new InvalidArgumentError(
    `must be an IP address, or a range from /${shortestPrefix} on, such as 10.0.0.0/24`,
  );
}

/**
 * A process that runs programs one after the other, each as the SDK's executor does (`@pulumi/pulumi/cmd/run`): with its
 * variables, folder and output, and as if its files were read for the first time. What a program imports of this project
 * and of packages stays loaded, which takes four fifths of the time of a small one.
 */
import Module, { createRequire, flushCompileCache, registerHooks } from 'node:module';
import type { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import type { ProgramRequest } from './hosts.ts';

const require = createRequire(import.meta.url);
const executor = require.resolve('@pulumi/pulumi/cmd/run/index.js');
process.argv[1] = executor;
await import('../../../packages/engine/src/local/lean-executor.ts');
const sdk = (name: string) => require(`@pulumi/pulumi/${name}`);
sdk('cmd/run/instrumentation.js');
require('source-map-support/register');
const settings = sdk('runtime/settings.js') as {
  resetOptions(...options: unknown[]): void;
  disconnect(isSuccess: boolean): Promise<void>;
};
const { withLocalStorage } = sdk('runtime/state.js') as {
  withLocalStorage<T>(callback: () => Promise<T>): Promise<T>;
};
// The executor's first file begins to run a program as it is loaded; the second asks it for this code alone.
const first = new Module(executor);
first.exports = { nodeJSProcessExitedAfterLoggingUserActionableMessage: 32 };
first.loaded = true;
require.cache[executor] = first;
const { run } = sdk('cmd/run/run.js') as { run: RunProgram };
const rpc = sdk('runtime/rpc.js') as { transferProperties: unknown };
const minimist = require('minimist') as (args: string[], options: object) => Record<string, string>;

type RunProgram = (
  argv: Record<string, string>,
  programStarted: () => void,
  reportLoggedError: (error: unknown) => void,
  isErrorReported: (error: unknown) => boolean,
) => Promise<unknown>;

/** What stays loaded. Everything else is part of a program, and so is its own folder. */
const kept = ['node_modules', 'packages', 'stacks', 'components', 'providers'].map(
  (folder) => new URL(`../../../${folder}/`, import.meta.url).href,
);
const root = new URL('../../../', import.meta.url).href;
let count = 0;
let own = root;
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const isOwn = own !== root && found.url.startsWith(own);
    const isProgram =
      found.url.startsWith('file:') &&
      !found.url.includes('/node_modules/') &&
      (isOwn || !kept.some((folder) => found.url.startsWith(folder)));
    return isProgram ? { ...found, url: `${found.url.split('?')[0]}?run=${count}` } : found;
  },
});

/** A place in a file, as it is read in the process of a program alone. */
const plain = (text: string) => text.replaceAll(/\?run=\d+/g, '');
const { EngineClient } = sdk('proto/engine_grpc_pb.js') as { EngineClient: { prototype: LogClient } };
const { log } = EngineClient.prototype;
EngineClient.prototype.log = function (request, ...rest) {
  request.setMessage(plain(request.getMessage()));
  return log.call(this, request, ...rest);
};

/** The part of the SDK's engine client that is used here (pulumi/pulumi proto/pulumi/engine.proto). */
interface LogClient {
  log(request: { getMessage(): string; setMessage(text: string): void }, ...rest: unknown[]): unknown;
}

process.on('disconnect', () => process.exit());
process.on('message', (_, socket) => void take(socket as Socket));
const before = { transfer: rpc.transferProperties, listeners: listenersNow() };
process.send?.('ready');

async function take(socket: Socket): Promise<void> {
  const say = (line: { stream: string; text: string } | { code: number }) =>
    socket.write(`${JSON.stringify(line)}\n`);
  const request = await requestFrom(socket);
  const written = redirect(say);
  const code = await execute(request).catch((error: unknown) => {
    say({ stream: 'stderr', text: String(error) });
    return 1;
  });
  written.restore();
  // For programs that are kept apart, which only read it.
  if (count === 1) flushCompileCache();
  // What a program that failed left behind, no other one gets.
  socket
    .removeAllListeners('end')
    .once('close', () => (code === 0 ? process.send?.('ready') : process.exit()));
  say({ code });
  socket.end();
}

function requestFrom(socket: Socket): Promise<ProgramRequest> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part) => {
      text += part;
      if (text.endsWith('\n')) resolve(JSON.parse(text) as ProgramRequest);
    });
    // Whoever asked is gone, as when the engine stops a program.
    socket.on('end', () => process.exit());
    socket.on('error', () => process.exit());
    socket.resume();
  });
}

/** The executor's `main`, without what makes its process end. Resolves to the exit code. */
async function execute({ args, env, directory }: ProgramRequest): Promise<number> {
  count += 1;
  own = pathToFileURL(`${directory}/`).href;
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  const argv = minimist(args, { boolean: ['dry-run'], stopEarly: true });
  Object.assign(process.env, env);
  // Read from there by the SDK, like its configuration.
  process.env['PULUMI_NODEJS_ROOT_DIRECTORY'] = argv['root-directory'];
  process.chdir(directory);
  const errors = new Set<unknown>();
  const logged = new Set<unknown>();
  const onError = (error: unknown) => void errors.add(error);
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  try {
    await withLocalStorage(async () => {
      settings.resetOptions(
        argv['project'],
        argv['stack'],
        Number(argv['parallel']),
        argv['engine'],
        argv['monitor'],
        argv['dry-run'],
        argv['organization'],
      );
      const running = run(
        argv,
        () => {},
        (error) => logged.add(error),
        (error) => logged.has(error),
      );
      const isSuccess = await running.then(
        () => true,
        (error: unknown) => {
          process.emit('uncaughtException', error as Error);
          return false;
        },
      );
      await settings.disconnect(isSuccess && errors.size === 0);
    });
  } finally {
    for (const [event, listeners] of before.listeners) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener as () => void);
    }
    rpc.transferProperties = before.transfer;
  }
  return errors.size > 0 ? 1 : Number(process.exitCode ?? 0);
}

function listenersNow() {
  return (['uncaughtException', 'unhandledRejection', 'exit', 'beforeExit'] as const).map(
    (event) => [event, process.rawListeners(event)] as const,
  );
}

/** Sends what is written to standard output and error to where it is asked for. */
function redirect(say: (line: { stream: string; text: string }) => void) {
  const streams = (['stdout', 'stderr'] as const).map((stream) => {
    const { write } = process[stream];
    process[stream].write = ((text: string | Uint8Array, ...rest: unknown[]) => {
      say({ stream, text: plain(Buffer.from(text as string).toString('utf8')) });
      const written = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
      if (written !== undefined) process.nextTick(written);
      return true;
    }) as typeof write;
    return { stream, write };
  });
  return {
    restore: () => {
      for (const { stream, write } of streams) process[stream].write = write;
    },
  };
}

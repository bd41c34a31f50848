import { connect, createServer, type Socket } from 'node:net';
import { compareWithService } from '../cli/src/drift/drift.ts';
import { openNamespaceClient, readingConnections } from '../cli/src/open/open-client.ts';
import { type Declared, openDeclared } from '../cli/src/open/open-environment.ts';
import { LocalEngine } from '../engine/src/local/local-engine.ts';
import type { Stack } from '../engine/src/stack.ts';
import { listen } from '../host/src/listen.ts';
import { readBare, requestsOf } from './bare-client.ts';
import { type AtEnd, type Bench, type Figure, figure, inTurn, median, mustBe, seconds } from './frame.ts';
import { largeEnvironment } from './large.ts';
import { apply, type BenchService, environmentOf, makeProject, startService } from './project.ts';

/**
 * Drift of a large environment without differences, in process, from loaded configuration, next to the service and far
 * from it: against a bare client with the same reads and connections, and the engine's refresh, which finds drift too.
 */
export const drift: Bench = async ({ n = 1000, rounds = 5 }, atEnd) => {
  const near = await startService(atEnd);
  const far = { ...near, address: await startFarService(near.address, atEnd) };
  return [
    ...(await compare('next to the service', [n, 'near'], near, rounds, atEnd)),
    ...(await compare(`${awayMs} ms away`, [n, 'far'], far, rounds, atEnd)),
  ];
};

async function compare(
  where: string,
  [roles, name]: [number, string],
  service: BenchService,
  rounds: number,
  atEnd: AtEnd,
): Promise<Figure[]> {
  const stack = await makeProject(atEnd, 'gatehouse', largeEnvironment(roles, name));
  const env = environmentOf(service);
  await apply(stack, env);
  const declared = await openDeclared(stack, env);
  const reads = await requestsOf(() => look(declared, env));
  const paths = reads.map((path) => path.replace(/^\/v1\//, ''));
  const ofRoles = new Set(paths.filter((path) => path.startsWith(`auth/${name}/role/`)));
  mustBe('roles that drift reads', ofRoles.size, roles);
  const times = await inTurn(rounds, {
    own: () => seconds(() => look(declared, env)),
    bare: () => seconds(() => readBare(paths, service, readingConnections)),
    refresh: () => seconds(() => refresh(stack, env)),
  });
  const time = (side: keyof typeof times) => median(times[side]);
  return [
    figure(`${where}: drift`, time('own'), ' s'),
    figure('  bare client', time('bare'), ' s'),
    figure('  ratio', time('own') / time('bare'), '', 1.2),
    figure('  refresh of the local engine, dry run', time('refresh'), ' s'),
    figure('  drift against refresh', time('own') / time('refresh'), '', 0.5),
  ];
}

async function look(declared: Declared, env: NodeJS.ProcessEnv): Promise<void> {
  const client = openNamespaceClient(declared.environment.service, env);
  try {
    const { differences, unverifiable } = await compareWithService(declared, client, { unmanaged: false });
    const found = differences.length + unverifiable.length;
    if (found > 0) throw new Error(`drift was to find nothing, and found ${found}`);
  } finally {
    client.close();
  }
}

async function refresh(stack: Stack, env: NodeJS.ProcessEnv): Promise<void> {
  const request = { verb: 'refresh', dryRun: true, stack, refresh: false, targets: [] } as const;
  const { succeeded, changes } = await new LocalEngine({ env }).run({ ...request, targets: [] });
  mustBe('the refresh succeeds', succeeded, true);
  mustBe('what the refresh finds', Object.keys(changes).join(), 'same');
}

/** One-way latency in milliseconds, as of a service in another region. */
const awayMs = 10;

/** A proxy that delays every byte in both directions. Its connections end with those of the service. */
async function startFarService(address: string, atEnd: AtEnd): Promise<string> {
  const { port, hostname } = new URL(address);
  const pass = (from: Socket, to: Socket) => {
    from.setNoDelay().on('data', (bytes) => setTimeout(() => to.write(bytes), awayMs));
    from.on('error', () => to.destroy()).on('close', () => setTimeout(() => to.destroy(), awayMs));
  };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    pass(near, far);
    pass(far, near);
  });
  atEnd(() => server.close());
  return `http://127.0.0.1:${await listen(server, 0)}`;
}

import { channel } from 'node:diagnostics_channel';
import { connect, createServer, type Socket } from 'node:net';
import { LocalEngine } from '../engine/local/local-engine.ts';
import { compareWithService } from '../operations/drift.ts';
import { openNamespaceClient, readingConnections } from '../operations/open-client.ts';
import { type Declared, openDeclared } from '../operations/open-environment.ts';
import { listen } from '../web/listen.ts';
import { readBare, type Service } from './bare-client.ts';
import { apply, environmentOf, makeProject, startService } from './bench-project.ts';
import { atMost, type Figure, figure, inTurn, median, seconds } from './figure.ts';
import { largeEnvironment } from './large-environment.ts';

interface DriftOptions {
  /** Defaults to 1,000, with a group and alias for every five. */
  roles?: number;
  /** Defaults to 5. */
  rounds?: number;
}

/**
 * Drift of a large environment without differences, in process, from loaded configuration. Compared with a bare client
 * with the same reads and connections, and with the engine's refresh, which finds drift too. Next to the service, and
 * far from it.
 */
export async function drift({ roles = 1000, rounds = 5 }: DriftOptions): Promise<Figure[]> {
  const service = await startService();
  const far = await startFarService(service.address);
  try {
    const size = { roles, groups: Math.ceil(roles / 5) };
    return [
      ...(await compare('beside the service', { ...size, name: 'near' }, service, rounds)),
      ...(await compare(`${awayMs} ms away`, { ...size, name: 'far' }, { ...service, ...far }, rounds)),
    ];
  } finally {
    far.close();
    await service.close();
  }
}

async function compare(
  where: string,
  environment: Parameters<typeof largeEnvironment>[0],
  service: Service,
  rounds: number,
): Promise<Figure[]> {
  const project = await makeProject('gatehouse', largeEnvironment(environment));
  const env = environmentOf(service);
  const request = { stack: project.stack, refresh: false, targets: [] };
  try {
    await apply(project.stack, env);
    const declared = await openDeclared(project.stack, env);
    const paths = await readsOf(() => look(declared, env));
    const times = await inTurn(rounds, {
      drift: () => seconds(() => look(declared, env)),
      bare: () => seconds(() => readBare(paths, service, readingConnections)),
      refresh: () =>
        seconds(() => new LocalEngine({ env }).run({ verb: 'refresh', dryRun: true, ...request })),
    });
    const [own, bare, refresh] = [median(times.drift), median(times.bare), median(times.refresh)];
    return [
      figure(`${where}: reads`, paths.length, ''),
      figure(`${where}: drift`, own, ' s'),
      figure(`${where}: bare client`, bare, ' s'),
      atMost(`${where}: ratio`, own / bare, 1.2, ''),
      figure(`${where}: refresh of the local engine, dry run`, refresh, ' s'),
      atMost(`${where}: drift against refresh`, own / refresh, 0.5, ''),
    ];
  } finally {
    await project.remove();
  }
}

async function look(declared: Declared, env: NodeJS.ProcessEnv): Promise<void> {
  const client = openNamespaceClient(declared.environment.service, env);
  try {
    const { differences, unverifiable } = await compareWithService(declared, client, false);
    const found = differences.length + unverifiable.length;
    if (found > 0) throw new Error(`drift was to find nothing, and found ${found}`);
  } finally {
    client.close();
  }
}

/** The paths below `/v1/` that `work` reads. */
async function readsOf(work: () => Promise<void>): Promise<string[]> {
  const paths: string[] = [];
  const note = (message: unknown) => {
    paths.push((message as { request: { path: string } }).request.path.replace(/^\/v1\//, ''));
  };
  const sent = channel('undici:request:create');
  sent.subscribe(note);
  try {
    await work();
    return paths;
  } finally {
    sent.unsubscribe(note);
  }
}

/** One-way latency in milliseconds, as of a service in another region. */
const awayMs = 10;

/** A proxy that delays every byte in both directions. */
async function startFarService(address: string): Promise<{ address: string; close(): void }> {
  const { port, hostname } = new URL(address);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.setNoDelay();
      from.on('data', (bytes) => setTimeout(() => to.write(bytes), awayMs));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        setTimeout(() => to.destroy(), awayMs);
      });
    }
  });
  const at = await listen(server, 0);
  return {
    address: `http://127.0.0.1:${at}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

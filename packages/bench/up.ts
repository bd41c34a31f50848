import { join } from 'node:path';
import { Deployment } from '../engine/src/local/deployment.ts';
import { type Goal, goalFromMessage, type Registered } from '../engine/src/local/goal.ts';
import { pluginsAtHand } from '../engine/src/local/local-engine.ts';
import { openStateStore } from '../engine/src/local/state-store.ts';
import type { PropertyMap, PropertyValue } from '../engine/src/property-value.ts';
import { parsePluginReference } from '../engine/src/urn.ts';
import { fromStruct } from '../engine/src/wire-value.ts';
import { writeBare } from './bare-client.ts';
import {
  type AtEnd,
  type Bench,
  ending,
  type Figure,
  figure,
  inTurn,
  median,
  mustBe,
  seconds,
} from './frame.ts';
import { runExecutor, standIn, startInstantMonitor } from './instant-monitor.ts';
import { largeEnvironment, serviceAddress } from './large.ts';
import { type BenchService, makeProject, makeScratch, startService } from './project.ts';

/**
 * The first `up` without its program: engine and plugin with recorded registrations, against a bare client that does
 * the same writes and read-backs on the same OpenBao. Every round has its own mount. Rounds count after a warm-up; the
 * first round, which is what a new process does, is shown too.
 */
export const up: Bench = async ({ n, rounds = 5 }) => {
  const figures: Figure[] = [];
  for (const roles of n === undefined ? [100, 300, 1000, 3000] : [n]) {
    figures.push(...(await ending((atEnd) => compare(roles, rounds, atEnd))));
  }
  return figures;
};

async function compare(roles: number, rounds: number, atEnd: AtEnd): Promise<Figure[]> {
  const recorded = await record(largeEnvironment(roles, recordedName), atEnd);
  const resources = recorded('', '').registrations.length;
  const service = await startService(atEnd);
  const scratch = await makeScratch(atEnd);
  const warmUp = Math.min(rounds, 6);
  const runs = await inTurn(warmUp + rounds, {
    engine: async (round) => {
      const own = recorded(`engine-${round}`, service.address);
      const taken = await seconds(() => deploy(own, service, join(scratch, `${round}.sqlite`)));
      await requireMade(`engine-${round}`, roles, service);
      return taken;
    },
    bare: async (round) => {
      const own = recorded(`bare-${round}`, service.address);
      const taken = await seconds(() => writeBare(own.registrations, service));
      await requireMade(`bare-${round}`, roles, service);
      return taken;
    },
  });
  const time = (side: keyof typeof runs) => median(runs[side].slice(warmUp));
  const first = (side: keyof typeof runs) => runs[side][0] ?? Number.NaN;
  return [
    figure(`${roles} roles: engine and plugin`, time('engine'), ' s'),
    figure('  bare client', time('bare'), ' s'),
    figure('  ratio', time('engine') / time('bare'), '', 1.3),
    figure('  ratio of the first round', first('engine') / first('bare')),
    figure(`  milliseconds a resource (${resources})`, (time('engine') / resources) * 1000, ' ms'),
  ];
}

/** @throws Error unless the service has all roles and groups of a large environment by this name */
async function requireMade(name: string, roles: number, { address, token }: BenchService): Promise<void> {
  const list = async (path: string): Promise<string[]> => {
    const answer = await fetch(`${address}/v1/${path}?list=true`, { headers: { 'X-Vault-Token': token } });
    const { data } = (await answer.json()) as { data: { keys: string[] } };
    return data.keys;
  };
  mustBe(`roles of ${name}`, (await list(`auth/${name}/role`)).length, roles);
  const groups = (await list('identity/group/name')).filter((one) => one.startsWith(`${name}-group-`));
  mustBe(`groups of ${name}`, groups.length, Math.ceil(roles / 5));
}

/** A program's registrations in order, with the instant monitor's placeholders for what the service chooses. */
export interface Recording {
  registrations: (Goal & { urn: string; hasStandIns: boolean })[];
  /** Outputs of components. */
  outputs: { urn: string; map: PropertyMap }[];
}

/** The name in a recording that each round replaces. */
const recordedName = 'recorded-name';

/** Records this project's program for an environment. Resolves to the recording with another name and service. */
export async function record(
  environment: object,
  atEnd: AtEnd,
): Promise<(name: string, address: string) => Recording> {
  const stack = await makeProject(atEnd, 'gatehouse', environment);
  const recording: Recording = { registrations: [], outputs: [] };
  const monitor = await startInstantMonitor({
    onRegistration: (urn, request) => {
      const goal = goalFromMessage(request, stack.directory);
      const hasStandIns = JSON.stringify(goal.inputs).includes(' of urn:');
      recording.registrations.push({ ...goal, urn, hasStandIns });
    },
    onOutputs: (request) =>
      recording.outputs.push({ urn: request.getUrn(), map: fromStruct(request.getOutputs()) }),
  });
  atEnd(monitor.close);
  await runExecutor(stack, monitor.address);
  const text = JSON.stringify(recording);
  return (name, address) =>
    JSON.parse(text.replaceAll(recordedName, name).replaceAll(serviceAddress, address));
}

/** All of `up` except for the program: state file, plugin, steps. */
async function deploy(recording: Recording, { token }: BenchService, stateFile: string): Promise<void> {
  const store = openStateStore(stateFile);
  const plugins = pluginsAtHand({ ...process.env, VAULT_TOKEN: token });
  const deployment = new Deployment({ project: 'gatehouse', stack: 'bench', store, plugins, dryRun: false });
  try {
    await replay(recording, deployment);
    await deployment.finish(true);
    const { succeeded, diagnostics } = deployment.result();
    if (!succeeded) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  } finally {
    await deployment.close();
    store.close();
  }
}

/** Registers like a program: concurrently, each after its dependencies. */
async function replay({ registrations, outputs }: Recording, deployment: Deployment): Promise<void> {
  const done = new Map<string, Promise<Registered>>();
  const chosen = new Map<string, PropertyValue>();
  const filledIn = (map: PropertyMap): PropertyMap =>
    JSON.parse(JSON.stringify(map), (_, value) => chosen.get(value) ?? value);
  const register = async ({ urn, hasStandIns, ...goal }: Recording['registrations'][number]) => {
    const plugin = goal.provider === undefined ? undefined : parsePluginReference(goal.provider);
    const needed = [...goal.dependencies, goal.parent, plugin?.urn];
    await Promise.all(needed.map((one) => done.get(one ?? '')));
    const registered = await deployment.register({
      ...goal,
      // Only if there are placeholders, because replacing is not what is measured.
      inputs: hasStandIns ? filledIn(goal.inputs) : goal.inputs,
      provider: plugin && `${plugin.urn}::${chosen.get(plugin.id)}`,
    });
    if (registered.result !== 'done') {
      throw new Error(`${urn}: ${registered.result}: ${JSON.stringify(deployment.report.diagnostics)}`);
    }
    chosen.set(standIn('id', urn), registered.id ?? '');
    chosen.set(standIn('accessor', urn), registered.outputs['accessor'] ?? '');
    return registered;
  };
  for (const registration of registrations) done.set(registration.urn, register(registration));
  await Promise.all(done.values());
  await Promise.all(outputs.map(({ urn, map }) => deployment.registerOutputs(urn, filledIn(map))));
}

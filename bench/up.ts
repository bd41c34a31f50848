import { channel } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { Deployment } from '../engine/local/deployment.ts';
import { type Goal, goalFromMessage, type Registered } from '../engine/local/goal.ts';
import { pluginsAtHand } from '../engine/local/local-engine.ts';
import { openStateStore } from '../engine/local/state-store.ts';
import { type PropertyMap, type PropertyValue, Secret } from '../engine/property-value.ts';
import { parsePluginReference } from '../engine/urn.ts';
import { fromStruct } from '../engine/wire-value.ts';
import { type Service, writeBare } from './bare-client.ts';
import { makeProject, makeScratch, startService } from './bench-project.ts';
import { atMost, type Figure, figure, inTurn, median, seconds } from './figure.ts';
import { runExecutor, standIn, startInstantMonitor } from './instant-monitor.ts';
import { largeEnvironment } from './large-environment.ts';

interface UpOptions {
  /** Defaults to 100, 300, 1,000 and 3,000 in turn, with a group and alias for every five. */
  roles?: number;
  /** Defaults to 5, after as many to warm up, but at most six. */
  rounds?: number;
}

/**
 * The first `up` without its program: engine and plugin with recorded registrations, against a bare client that does
 * the same writes and read-backs on the same OpenBao. Every round has its own mount. Rounds count after a warm-up; the
 * first round, which is what a new process does, is shown too.
 */
export async function up({ roles, rounds = 5 }: UpOptions): Promise<Figure[]> {
  const sizes = roles === undefined ? [100, 300, 1000, 3000] : [roles];
  const figures: Figure[] = [];
  for (const size of sizes) figures.push(...(await compare(size, rounds)));
  return figures;
}

async function compare(size: number, rounds: number): Promise<Figure[]> {
  const recording = await record(size);
  const service = await startService();
  const { address } = service;
  const scratch = await makeScratch('up');
  try {
    const warmUp = Math.min(rounds, 6);
    const runs = await inTurn(warmUp + rounds, {
      engine: (round) => {
        const own = renamed(recording, `engine-${round}`, address);
        return counted(() => deploy(own, service, join(scratch.directory, `${round}.sqlite`)));
      },
      bare: (round) => {
        const own = renamed(recording, `bare-${round}`, address);
        return counted(() => writeBare(own, service));
      },
    });
    const time = (side: keyof typeof runs) => median(runs[side].slice(warmUp).map((run) => run.seconds));
    const first = (side: keyof typeof runs) => runs[side][0]?.seconds ?? Number.NaN;
    const requests = (side: keyof typeof runs) => median(runs[side].map((run) => run.requests));
    const resources = recording.registrations.length;
    const at = `${size} roles`;
    return [
      figure(`${at}: engine and plugin`, time('engine'), ' s'),
      figure(`${at}: bare client`, time('bare'), ' s'),
      atMost(`${at}: ratio`, time('engine') / time('bare'), 1.3, ''),
      figure(`${at}: ratio of the first round`, first('engine') / first('bare'), ''),
      figure(`${at}: milliseconds a resource (${resources})`, (time('engine') / resources) * 1000, ' ms'),
      figure(`${at}: requests, engine and plugin`, requests('engine'), ''),
      figure(`${at}: requests, bare client`, requests('bare'), ''),
    ];
  } finally {
    await service.close();
    await scratch.remove();
  }
}

/** All of `up` except for the program: state file, plugin, steps. */
async function deploy(recording: Recording, { token }: Service, stateFile: string): Promise<void> {
  const store = openStateStore(stateFile);
  const deployment = new Deployment({
    project: 'gatehouse',
    stack: 'bench',
    store,
    plugins: pluginsAtHand({ ...process.env, VAULT_TOKEN: token }),
    dryRun: false,
  });
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

interface Run {
  seconds: number;
  /** HTTP requests sent. */
  requests: number;
}

async function counted(work: () => Promise<void>): Promise<Run> {
  let requests = 0;
  const count = () => {
    requests++;
  };
  // The plugin uses undici, the bare client `node:http`.
  const sent = ['undici:request:create', 'http.client.request.start'].map((name) => channel(name));
  for (const each of sent) each.subscribe(count);
  try {
    return { seconds: await seconds(work), requests };
  } finally {
    for (const each of sent) each.unsubscribe(count);
  }
}

/** A program's registrations in order, with the instant monitor's placeholders for what the service chooses. */
export interface Recording {
  registrations: { urn: string; goal: Goal; hasStandIns: boolean }[];
  /** Outputs of components, by URN. */
  outputs: Map<string, PropertyMap>;
}

/** The name in a recording that `renamed` replaces. */
const recordedName = 'recorded';

/** Records the registrations of this project's program for a large environment. */
async function record(roles: number): Promise<Recording> {
  const environment = largeEnvironment({ roles, groups: Math.ceil(roles / 5), name: recordedName });
  const project = await makeProject('gatehouse', environment);
  const recording: Recording = { registrations: [], outputs: new Map() };
  const monitor = await startInstantMonitor({
    onRegistration: (urn, request) => {
      const goal = goalFromMessage(request, project.directory);
      recording.registrations.push({ urn, goal, hasStandIns: hasStandIns(goal.inputs) });
    },
    onOutputs: (request) => recording.outputs.set(request.getUrn(), fromStruct(request.getOutputs())),
  });
  try {
    await runExecutor(project.stack, monitor.address);
    return recording;
  } finally {
    monitor.close();
    await project.remove();
  }
}

/** The recording with another name, for a service at `address`. */
function renamed({ registrations, outputs }: Recording, name: string, address: string): Recording {
  // Placeholders keep the recorded name, which `replay` looks them up by.
  const rename = (text: string) => (text.includes(' of urn:') ? text : text.replaceAll(recordedName, name));
  return {
    outputs,
    registrations: registrations.map(({ urn, goal, ...rest }) => {
      const inputs = withTexts(goal.inputs, rename);
      return {
        ...rest,
        urn,
        goal: { ...goal, inputs: 'address' in inputs ? { ...inputs, address } : inputs },
      };
    }),
  };
}

/** Registers like a program: concurrently, each after its dependencies. */
async function replay({ registrations, outputs }: Recording, deployment: Deployment): Promise<void> {
  const done = new Map<string, Promise<Registered>>();
  const chosen = new Map<string, PropertyValue>();
  const known = (text: string) => chosen.get(text) ?? text;
  const register = async ({
    urn,
    goal,
    hasStandIns,
  }: Recording['registrations'][number]): Promise<Registered> => {
    const plugin = goal.provider === undefined ? undefined : parsePluginReference(goal.provider);
    await Promise.all(
      [...goal.dependencies, goal.parent, plugin?.urn].map((needed) => done.get(needed ?? '')),
    );
    const provider = plugin && `${plugin.urn}::${chosen.get(plugin.id)}`;
    const registered = await deployment.register({
      ...goal,
      // Only if there are placeholders, because replacing is not what is measured.
      inputs: hasStandIns ? withTexts(goal.inputs, known) : goal.inputs,
      provider,
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
  await Promise.all([...outputs].map(([urn, map]) => deployment.registerOutputs(urn, withTexts(map, known))));
}

function hasStandIns(inputs: PropertyMap): boolean {
  return JSON.stringify(inputs).includes(' of urn:');
}

function withTexts(map: PropertyMap, change: (text: string) => PropertyValue): PropertyMap {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, withText(value, change)]));
}

function withText(value: PropertyValue, change: (text: string) => PropertyValue): PropertyValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => withText(entry, change));
  if (value instanceof Secret) return new Secret(withText(value.value, change));
  return typeof value === 'object' && value?.constructor === Object
    ? withTexts(value as PropertyMap, change)
    : value;
}

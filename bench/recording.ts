import type { Deployment } from '../engine/local/deployment.ts';
import type { Goal, Registered } from '../engine/local/goal.ts';
import { goalFromMessage } from '../engine/local/goal.ts';
import { type PropertyMap, type PropertyValue, Secret } from '../engine/property-value.ts';
import { parsePluginReference } from '../engine/urn.ts';
import { fromStruct } from '../engine/wire-value.ts';
import { makeProject } from './bench-project.ts';
import { runExecutor } from './executor.ts';
import { standIn, startInstantMonitor } from './instant-monitor.ts';
import { largeEnvironment } from './large-environment.ts';

/** What a program registered, in its order, with the instant monitor's stand-ins for what a service chooses. */
export interface Recording {
  registrations: { urn: string; goal: Goal; hasStandIns: boolean }[];
  /** Outputs of components, by URN. */
  outputs: Map<string, PropertyMap>;
}

/** The name in a recording that each use of it puts its own for. */
const recordedName = 'recorded';

/** Runs this project's program once, with a large environment, and records what it registers. */
export async function record(roles: number): Promise<Recording> {
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

/** The recording under a name of its own, for a service at `address`. */
export function renamed({ registrations, outputs }: Recording, name: string, address: string): Recording {
  // Stand-ins keep the recorded name: they are looked up by it.
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

/** Registers everything as a program does: at once, each as soon as what it depends on is there. */
export async function replay({ registrations, outputs }: Recording, deployment: Deployment): Promise<void> {
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
      // Only where there is something to put in: feeding is no part of what is measured.
      inputs: hasStandIns ? withTexts(goal.inputs, known) : goal.inputs,
      ...(provider === undefined ? {} : { provider }),
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

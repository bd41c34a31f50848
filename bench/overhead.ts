import { LocalEngine } from '../engine/local/local-engine.ts';
import { apply, environmentOf, makeProject, startService } from './bench-project.ts';
import { atMost, type Figure, figure } from './figure.ts';
import { runExecutor, startInstantMonitor } from './instant-monitor.ts';
import { type LargeEnvironmentArgs, largeEnvironment } from './large-environment.ts';

const roleType = 'vault:jwt/authBackendRole:AuthBackendRole';

/**
 * The cost of another role and of another group with its alias, in calls of the engine and bytes of state, against the
 * plain official resources. A real engine writes its whole state for each registration, and twice for a component's outputs.
 */
export async function overhead({ roles = 100 }: { roles?: number }): Promise<Figure[]> {
  const role = {
    own: await costOf('gatehouse', 'roles', roles),
    plain: await costOf('plain', 'roles', roles),
  };
  const group = {
    own: await costOf('gatehouse', 'groups', roles),
    plain: await costOf('plain', 'groups', roles),
  };
  const own = await bytesPerRole('gatehouse', roles);
  const plain = await bytesPerRole('plain', roles);
  return [
    ...figuresOf('role', role, 1.1),
    ...figuresOf('group', group, 1),
    figure('bytes of state per role', own, ''),
    figure('bytes of state per role, plain', plain, ''),
    atMost('ratio of bytes', own / plain, 1.1, ''),
  ];
}

interface Cost {
  registrations: number;
  /** Calls of `RegisterResourceOutputs`. */
  outputs: number;
  logs: number;
  /** All calls of the monitor. */
  calls: number;
}

function figuresOf(what: string, { own, plain }: { own: Cost; plain: Cost }, aim: number): Figure[] {
  return [
    figure(`registrations per ${what}`, own.registrations, ''),
    figure(`registrations per ${what}, plain`, plain.registrations, ''),
    atMost(`calls for outputs per ${what}`, own.outputs, 0, ''),
    atMost(`ratio of all calls of the monitor, ${what}`, own.calls / plain.calls, aim, ''),
    figure(`log messages per ${what}`, own.logs, ''),
    figure(`log messages per ${what}, plain`, plain.logs, ''),
  ];
}

/** What so many more roles or groups cost, divided by their number. */
async function costOf(program: 'gatehouse' | 'plain', of: 'roles' | 'groups', more: number): Promise<Cost> {
  const one = { roles: 1, groups: 1 };
  const before = await countCalls(program, one);
  const after = await countCalls(program, { ...one, [of]: more + 1 });
  const each = (cost: keyof Cost) => (after[cost] - before[cost]) / more;
  return {
    registrations: each('registrations'),
    outputs: each('outputs'),
    logs: each('logs'),
    calls: each('calls'),
  };
}

async function countCalls(program: 'gatehouse' | 'plain', size: LargeEnvironmentArgs): Promise<Cost> {
  const project = await makeProject(program, largeEnvironment(size));
  const monitor = await startInstantMonitor();
  try {
    await runExecutor(project.stack, monitor.address);
    const { log: logs = 0, ...methods } = Object.fromEntries(monitor.calls);
    const { registerResource: registrations = 0, registerResourceOutputs: outputs = 0 } = methods;
    const calls = Object.values(methods).reduce((sum, count) => sum + count, 0);
    return { registrations, outputs, logs, calls };
  } finally {
    monitor.close();
    await project.remove();
  }
}

/** Bytes of a role in Pulumi's deployment format after an `up`. */
async function bytesPerRole(program: 'gatehouse' | 'plain', roles: number): Promise<number> {
  const { stack, remove } = await makeProject(program, largeEnvironment({ roles, groups: 0 }));
  const service = await startService();
  try {
    const env = environmentOf(service);
    await apply(stack, env);
    const exported = (await new LocalEngine({ env }).exportState(stack)) as {
      deployment: { resources: { type: string }[] };
    };
    const rows = exported.deployment.resources.filter(({ type }) => type === roleType);
    return Buffer.byteLength(JSON.stringify(rows)) / rows.length;
  } finally {
    await service.close();
    await remove();
  }
}

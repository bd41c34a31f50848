import { LocalEngine } from '../../engine/local/local-engine.ts';
import { type Bench, ending, type Figure, figure } from './frame.ts';
import { runExecutor, startInstantMonitor } from './instant-monitor.ts';
import { largeEnvironment } from './large.ts';
import { apply, environmentOf, makeProject, startService } from './project.ts';

type Program = 'gatehouse' | 'plain';

/**
 * The cost of another role and of another group with its alias, in calls of the engine and bytes of state, against the
 * plain official resources. A real engine writes its whole state for each registration, and twice for a component's
 * outputs.
 */
export const overhead: Bench = async ({ n = 100 }) => {
  const [own, plain] = [await bytesPerRole('gatehouse', n), await bytesPerRole('plain', n)];
  return [
    ...(await callsPer('role', n, 1.1)),
    ...(await callsPer('group', n, 1)),
    figure('bytes of state per role', own),
    figure('bytes of state per role, plain', plain),
    figure('ratio of bytes', own / plain, '', 1.1),
  ];
};

async function callsPer(what: 'role' | 'group', more: number, aim: number): Promise<Figure[]> {
  const [own, plain] = [await costOf('gatehouse', what, more), await costOf('plain', what, more)];
  return [
    figure(`registrations per ${what}`, own.registrations),
    figure(`registrations per ${what}, plain`, plain.registrations),
    figure(`calls for outputs per ${what}`, own.outputs, '', 0),
    figure(`ratio of all calls of the monitor, ${what}`, own.calls / plain.calls, '', aim),
  ];
}

/** The calls that so many more roles or groups cost, divided by their number. */
async function costOf(program: Program, what: 'role' | 'group', more: number) {
  const before = await countCalls(program, 1, 1);
  const after = await (what === 'role' ? countCalls(program, more + 1, 1) : countCalls(program, 1, more + 1));
  const each = (method: string) => ((after.get(method) ?? 0) - (before.get(method) ?? 0)) / more;
  const calls = [...after.keys()].filter((method) => method !== 'log').map(each);
  return {
    registrations: each('registerResource'),
    outputs: each('registerResourceOutputs'),
    calls: calls.reduce((sum, count) => sum + count, 0),
  };
}

function countCalls(program: Program, roles: number, groups: number): Promise<ReadonlyMap<string, number>> {
  return ending(async (atEnd) => {
    const stack = await makeProject(atEnd, program, largeEnvironment(roles, groups));
    const monitor = await startInstantMonitor();
    atEnd(monitor.close);
    await runExecutor(stack, monitor.address);
    return monitor.calls;
  });
}

/** Bytes of a role in Pulumi's deployment format after an `up`. */
function bytesPerRole(program: Program, roles: number): Promise<number> {
  return ending(async (atEnd) => {
    const stack = await makeProject(atEnd, program, largeEnvironment(roles, 0));
    const env = environmentOf(await startService(atEnd));
    await apply(stack, env);
    const { deployment } = (await new LocalEngine({ env }).exportState(stack)) as {
      deployment: { resources: { type: string }[] };
    };
    const rows = deployment.resources.filter(
      ({ type }) => type === 'vault:jwt/authBackendRole:AuthBackendRole',
    );
    return Buffer.byteLength(JSON.stringify(rows)) / rows.length;
  });
}

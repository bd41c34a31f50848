import { LocalEngine } from '../engine/local/local-engine.ts';
import { apply, type BenchProject, environmentOf, makeProject, startService } from './bench-project.ts';
import { atMost, type Figure, figure } from './figure.ts';
import { runExecutor, startInstantMonitor } from './instant-monitor.ts';
import { largeEnvironment } from './large-environment.ts';

const roleType = 'vault:jwt/authBackendRole:AuthBackendRole';

/** The cost of another role, in calls and bytes of state, against the plain official resource. */
export async function overhead({ roles = 100 }: { roles?: number }): Promise<Figure[]> {
  const own = await costOf('gatehouse', roles);
  const plain = await costOf('plain', roles);
  return [
    figure('calls of the monitor per role', own.calls, ''),
    figure('calls of the monitor per role, plain', plain.calls, ''),
    atMost('ratio of calls', own.calls / plain.calls, 1.1, ''),
    figure('log messages per role', own.logs, ''),
    figure('log messages per role, plain', plain.logs, ''),
    figure('bytes of state per role', own.bytes, ''),
    figure('bytes of state per role, plain', plain.bytes, ''),
    atMost('ratio of bytes', own.bytes / plain.bytes, 1.1, ''),
  ];
}

async function costOf(
  program: 'gatehouse' | 'plain',
  roles: number,
): Promise<{ calls: number; logs: number; bytes: number }> {
  const few = await makeProject(program, largeEnvironment({ roles: 1, groups: 0 }));
  const many = await makeProject(program, largeEnvironment({ roles: roles + 1, groups: 0 }));
  try {
    const before = await countCalls(few);
    const after = await countCalls(many);
    return {
      calls: (after.calls - before.calls) / roles,
      logs: (after.logs - before.logs) / roles,
      bytes: await bytesPerRole(many),
    };
  } finally {
    await Promise.all([few.remove(), many.remove()]);
  }
}

async function countCalls({ stack }: BenchProject): Promise<{ calls: number; logs: number }> {
  const monitor = await startInstantMonitor();
  try {
    await runExecutor(stack, monitor.address);
    const { log: logs = 0, ...methods } = Object.fromEntries(monitor.calls);
    return { logs, calls: Object.values(methods).reduce((sum, count) => sum + count, 0) };
  } finally {
    monitor.close();
  }
}

/** Bytes of a role in Pulumi's deployment format after an `up`. */
async function bytesPerRole({ stack }: BenchProject): Promise<number> {
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
  }
}

import { join } from 'node:path';
import { apply, environmentOf, makeProject, root, startService } from './bench-project.ts';
import { atMost, type Figure, figure, inTurn, median } from './figure.ts';
import { runExecutor, startInstantMonitor } from './instant-monitor.ts';
import { largeEnvironment } from './large-environment.ts';
import { type MeasuredRun, measureProcess } from './processes.ts';

interface PreviewOptions {
  /** Defaults to 1,000, with a group and alias for every five. */
  roles?: number;
  /** Defaults to 5. */
  rounds?: number;
}

const megabyte = 1024 * 1024;

/**
 * The process `gatehouse preview` of a large environment without changes, against the SDK's executor alone, with a
 * plain program of the same resources and the instant monitor.
 */
export async function preview({ roles = 1000, rounds = 5 }: PreviewOptions): Promise<Figure[]> {
  const environment = largeEnvironment({ roles, groups: Math.ceil(roles / 5) });
  const [project, plain] = await Promise.all([
    makeProject('gatehouse', environment),
    makeProject('plain', environment),
  ]);
  const service = await startService();
  const monitor = await startInstantMonitor();
  const env = environmentOf(service);
  try {
    const applied = await apply(project.stack, env);
    const runs = await inTurn(rounds, {
      gatehouse: () => noChange(project.directory, env),
      executor: () => runExecutor(plain.stack, monitor.address),
    });
    return figures(runs, applied.steps.length);
  } finally {
    monitor.close();
    await service.close();
    await Promise.all([project.remove(), plain.remove()]);
  }
}

async function noChange(directory: string, env: NodeJS.ProcessEnv): Promise<MeasuredRun> {
  const run = await measureProcess({
    args: [join(root, 'cli', 'gatehouse.mjs'), 'preview', '-s', 'bench', '--json'],
    cwd: directory,
    env,
  });
  const { changeSummary } = JSON.parse(run.stdout) as { changeSummary: Record<string, number> };
  const changed = Object.keys(changeSummary).filter((operation) => operation !== 'same');
  if (changed.length > 0) throw new Error(`the preview was to find nothing, and found ${changed.join(', ')}`);
  return run;
}

function figures(runs: Record<'gatehouse' | 'executor', MeasuredRun[]>, resources: number): Figure[] {
  const of = (side: keyof typeof runs, field: Exclude<keyof MeasuredRun, 'stdout'>) =>
    median(runs[side].map((run) => run[field]));
  const own = of('gatehouse', 'seconds');
  const bare = of('executor', 'seconds');
  return [
    figure('resources', resources, ''),
    atMost('gatehouse preview', own, 8, ' s'),
    figure("SDK's executor alone, plain program, instant monitor", bare, ' s'),
    atMost('ratio', own / bare, 0.29, ''),
    figure('CPU time of both processes', of('gatehouse', 'cpuSeconds'), ' s'),
    figure("CPU time of the SDK's executor alone", of('executor', 'cpuSeconds'), ' s'),
    figure('ratio of CPU time', of('gatehouse', 'cpuSeconds') / of('executor', 'cpuSeconds'), ''),
    atMost('peak memory, engine process', of('gatehouse', 'peakBytes') / megabyte, 500, ' MB'),
    atMost('peak memory, program', of('gatehouse', 'childPeakBytes') / megabyte, 500, ' MB'),
    atMost('peak memory, both together', of('gatehouse', 'peakTogetherBytes') / megabyte, 500, ' MB'),
    figure("peak memory, SDK's executor alone", of('executor', 'peakBytes') / megabyte, ' MB'),
  ];
}

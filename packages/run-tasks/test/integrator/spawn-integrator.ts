import type { FatalStatement } from '../dying-database.ts';
import { type SpawnedProgram, spawnProgram } from '../spawn-program.ts';

export interface IntegratorProcessArgs {
  home: string;
  /** `DATABASE_URL`. */
  url?: string;
  /** Origin of the platform. */
  platform: string;
  /** Where it kills itself. */
  fatal?: FatalStatement;
}

export interface IntegratorProcess extends SpawnedProgram {
  /** Of its endpoint; empty where it died before it listened. */
  url: string;
}

/** Starts an integrator, and waits until it answers. What is left of earlier tasks may kill it before. */
export async function spawnIntegrator(args: IntegratorProcessArgs): Promise<IntegratorProcess> {
  const spawned = spawnProgram(new URL('./dying-integrator.ts', import.meta.url), args);
  return { ...spawned, url: (await spawned.line) ?? '' };
}

/** Has it end in order; one that has died already is as good. */
export async function endIntegrator({ child, ended }: IntegratorProcess): Promise<number | string> {
  child.stdin?.end();
  return await ended;
}

/** Whether the integrator has brought all that it took to an end. */
export async function nothingOpen({ url }: IntegratorProcess): Promise<boolean> {
  const metrics = await fetch(new URL('/metrics', url));
  return metrics.ok && !/^gatehouse_deliveries_open\{/m.test(await metrics.text());
}

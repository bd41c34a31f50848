import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestPlatform } from '../../../run-tasks/kit/test-platform.ts';
import { compileCache } from '../../harness/compile-cache.ts';
import type { FatalStatement } from '../dying-database.ts';

const program = fileURLToPath(new URL('./dying-integrator.ts', import.meta.url));

export interface IntegratorProcess {
  process: ChildProcess;
  /** Of its endpoint; empty where it died before it listened. */
  url: string;
}

export interface IntegratorProcessArgs {
  home: string;
  /** `DATABASE_URL`. */
  url: string | undefined;
  platform: TestPlatform;
  /** Where it kills itself. */
  fatal?: FatalStatement;
  /** Which of these statements; defaults to the first. */
  nth?: number;
}

/** Starts an integrator, and waits until it answers. */
export async function spawnIntegrator(args: IntegratorProcessArgs): Promise<IntegratorProcess> {
  const { home, url, platform, fatal, nth = 1 } = args;
  const deadly = fatal === undefined ? [] : [JSON.stringify(fatal), String(nth)];
  const child = spawn(process.execPath, [program, home, platform.address, ...deadly], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...compileCache,
      NODE_OPTIONS: '',
      ...(url === undefined ? {} : { DATABASE_URL: url }),
    },
  });
  const lines = createInterface(child.stdout);
  // What is left of earlier tasks may bring it to its point before it has said anything.
  const [address = ''] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [])]);
  return { process: child, url: address };
}

/** Has it end in order; one that has died already is as good. */
export async function endIntegrator({ process: child }: IntegratorProcess): Promise<void> {
  child.stdin?.end();
  await ended(child);
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Whether the integrator has brought all that it took to an end. */
export async function nothingOpen({ url }: IntegratorProcess): Promise<boolean> {
  const metrics = await fetch(new URL('/metrics', url));
  return metrics.ok && !/^gatehouse_deliveries_open\{/m.test(await metrics.text());
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../../harness/compile-cache.ts';
import type { FatalStatement } from '../dying-database.ts';

/** Where a platform can be killed, beside its statements. */
export type PlatformHook =
  | 'before a request'
  | 'after a request'
  | 'in the midst of a plan'
  | 'in the midst of an apply'
  | 'after an apply'
  | 'before an answer';

export interface PlatformProcessArgs {
  url?: string;
  home: string;
  port: number;
  /** Origin of the integrator. */
  integrator: string;
  /** File to which it writes what it does, a line of JSON each. */
  journal: string;
  /** Stacks to make a run of. */
  stacks: string[];
  /** Where it kills itself: the how-manieth time it comes by. */
  kill?: { at: FatalStatement | { hook: PlatformHook }; count: number };
  planMs?: number;
}

const program = fileURLToPath(new URL('./platform-process.ts', import.meta.url));

export interface PlatformProcess {
  child: ChildProcess;
  /** Whether it made its runs and works, or was gone before. */
  isReady: Promise<boolean>;
  /** Exit code or signal. */
  ended: Promise<number | string>;
}

export function spawnPlatform(args: PlatformProcessArgs): PlatformProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(args)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...compileCache, NODE_OPTIONS: '--disable-warning=FSTDEP023' },
  });
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code);
  const said = once(createInterface(child.stdout), 'line').then(() => true);
  const isReady = Promise.race([said, ended.then(() => false)]);
  return { child, isReady, ended };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Where a platform can be killed: each stands between two of the numbered steps of `Platform`. */
export const killPoints = [
  'before a commit',
  'after a commit',
  'before a request',
  'after a request',
  'in the midst of a plan',
  'in the midst of an apply',
  'after an apply',
  'before an answer',
] as const;
export type KillPoint = (typeof killPoints)[number];

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
  kill?: { point: KillPoint; count: number };
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
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=FSTDEP023' },
  });
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code);
  const said = once(createInterface(child.stdout), 'line').then(() => true);
  const isReady = Promise.race([said, ended.then(() => false)]);
  return { child, isReady, ended };
}

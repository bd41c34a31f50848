import type { FatalStatement } from '../dying-database.ts';
import { spawnProgram } from '../spawn-program.ts';

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
  /** Processes that have begun a plan before one of this process ends. Defaults to 1, itself. */
  planners?: number;
}

/** `line` is there once it made its runs and works. */
export function spawnPlatform(args: PlatformProcessArgs) {
  return spawnProgram(new URL('./platform-process.ts', import.meta.url), args);
}

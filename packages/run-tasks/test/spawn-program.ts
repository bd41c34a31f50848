import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface SpawnedProgram {
  child: ChildProcess;
  /** The first line that it prints; undefined where it ended before. */
  line: Promise<string | undefined>;
  /** Exit code or signal. */
  ended: Promise<number | string>;
}

/** Runs a program that is there to be killed. Its argument is JSON. */
export function spawnProgram(program: URL, args: object): SpawnedProgram {
  const child = spawn(process.execPath, [fileURLToPath(program), JSON.stringify(args)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=FSTDEP023' },
  });
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code);
  const lines = once(createInterface(child.stdout), 'line');
  return { child, ended, line: Promise.race([lines.then(([line]) => line), ended.then(() => undefined)]) };
}

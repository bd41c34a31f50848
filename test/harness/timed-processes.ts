import childProcess, { type ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { recordPart } from './real-parts.ts';

let isCounted = true;

/** Starts a process that is no part of what processes take: a server, which runs as long as its tests. */
export function uncounted<Started>(spawn: () => Started): Started {
  isCounted = false;
  try {
    return spawn();
  } finally {
    isCounted = true;
  }
}

/** From now on, each process that this one starts is recorded by the name of its program, from its start to its end. */
export function timeProcesses(): void {
  subscribe('child_process', (message) => {
    if (!isCounted) return;
    const { process: child } = message as { process: ChildProcess };
    const startedAt = performance.now();
    child.once('exit', () => recordPart(kindOf(child.spawnfile), startedAt));
  });
  // Those that are waited for have no channel.
  const { spawnSync, execFileSync, execSync } = childProcess;
  childProcess.spawnSync = timed(spawnSync);
  childProcess.execFileSync = timed(execFileSync);
  childProcess.execSync = timed(execSync, 'sh');
  syncBuiltinESMExports();
}

function timed<Run extends (program: string, ...rest: never[]) => unknown>(run: Run, shell?: string): Run {
  return new Proxy(run, {
    apply(target, self, args: Parameters<Run>) {
      const startedAt = performance.now();
      try {
        return Reflect.apply(target, self, args);
      } finally {
        recordPart(kindOf(shell ?? args[0]), startedAt);
      }
    },
  });
}

function kindOf(program: string): string {
  return `process ${basename(program)}`;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server in a process of its own. */
export interface ServerProcess {
  /** What it printed first that is an address. */
  address: string;
  pid: number;
  /** It does nothing until it is resumed: what it would do falls on nobody else's measure. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** @throws Error where it ends without having said its address */
export async function startServer(args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  let address: string | undefined;
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text;
    address = /http:\/\/[^\s"/]+/.exec(said)?.[0];
    if (address !== undefined) break;
  }
  if (address === undefined) throw new Error(`${args.join(' ')} ended and said only: ${said}`);
  child.stdout.resume();
  return {
    address,
    pid: child.pid ?? 0,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended;
    },
  } satisfies ServerProcess;
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a process is started with that an engine has run a program. */
export interface ProgramRequest {
  /** Of the SDK's executor. */
  args: string[];
  env: Record<string, string>;
  directory: string;
}

/** Processes that have loaded the SDK, and run nothing. There are as many as programs ran at once. */
const idle: ChildProcess[] = [];

async function serve(socket: Socket): Promise<void> {
  const host = idle.pop() ?? (await startHost());
  host.once('message', () => idle.push(host));
  host.send('run', socket, {}, (error) => error && socket.destroy());
}

/** It ends with this process, and does not keep it. */
async function startHost(): Promise<ChildProcess> {
  const host = fork(fileURLToPath(new URL('host.ts', import.meta.url)), {
    execArgv: ['--stack-trace-limit=2', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(host, 'exit').then(() => {
    throw new Error('a process for programs ended before it was ready');
  });
  await Promise.race([once(host, 'message'), ended]);
  ended.catch(() => {});
  host.unref();
  host.channel?.unref();
  host.once('exit', () => {
    const place = idle.indexOf(host);
    if (place >= 0) idle.splice(place, 1);
  });
  return host;
}

/** Where a process that is to run a program asks for one that has loaded the SDK (to-host.mjs). */
export const programHosts = join(tmpdir(), `programs-${process.pid}.sock`);
createServer({ pauseOnConnect: true }, (socket) => void serve(socket).catch(() => socket.destroy()))
  .listen(programHosts)
  .unref();

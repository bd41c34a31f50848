import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const program = join(import.meta.dirname, 'stalling-clients.ts');

/**
 * Opens clients that take what they can of a platform, in a process of their own.
 *
 * @param run what `streams` watch
 * @returns what ends them
 */
export async function openStallingClients(
  kind: 'slow' | 'streams',
  address: string,
  run: string,
  count: number,
): Promise<() => Promise<void>> {
  const args = ['--disable-warning=ExperimentalWarning', program, kind, address, run, `${count}`];
  const clients = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(clients.stdout, 'data');
  return async () => {
    clients.kill('SIGKILL');
    await once(clients, 'exit');
  };
}

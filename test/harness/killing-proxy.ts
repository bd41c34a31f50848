import { startProxy } from './proxy.ts';

/** When the process is to be killed: at its nth write, before the service sees it or after it was done. */
export interface Kill {
  pid: number;
  write: number;
  moment: 'before' | 'after';
}

/** A proxy in front of a service that kills a process at a chosen write, so that a crash has a place and a number. */
export interface KillingProxy {
  address: string;
  /** Arms the proxy and starts counting writes anew; undefined disarms it. */
  arm(kill: Kill | undefined): void;
  /** Writes passed on since the proxy was armed. */
  writes(): number;
  close(): Promise<void>;
}

export async function startKillingProxy(upstream: string): Promise<KillingProxy> {
  let kill: Kill | undefined;
  let writes = 0;

  const proxy = await startProxy(upstream, ({ incoming, pass }) => {
    // The plugin's own token is no part of what is deployed.
    const isWrite = incoming.method !== 'GET' && !incoming.url?.includes('/auth/token/');
    if (isWrite) writes += 1;
    const armed = kill;
    const strike = isWrite && armed !== undefined && armed.write === writes;
    if (strike && armed.moment === 'before') process.kill(armed.pid, 'SIGKILL');
    else pass(strike ? () => process.kill(armed.pid, 'SIGKILL') : undefined);
  });
  return {
    ...proxy,
    arm: (next) => {
      kill = next;
      writes = 0;
    },
    writes: () => writes,
  };
}

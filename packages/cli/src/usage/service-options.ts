import { resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import { limitsOf, type ServiceOptions } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ServiceSource } from './open-service.ts';

/** @param onRead called as the service is read */
export async function serviceOf(
  options: ServiceOptions,
  { cwd, env: processEnv }: Terminal,
  onRead: NonNullable<ServiceSource['limits']>['onRead'],
): Promise<ServiceSource> {
  const [{ openStack }, { withServiceToken }, { readKeyFile }] = await Promise.all([
    import('../open/open-stack.ts'),
    import('../open/service-token.ts'),
    import('../snapshot/snapshot.ts'),
  ]);
  const opened = await openStack(options.cwd, options.stack, processEnv);
  const stack = { ...opened, namespace: options.namespace };
  const { snapshot, keyFile, digest, maxAge, hashWith } = options;
  const needsToken = options.live || hashWith !== undefined;
  const env = needsToken ? await withServiceToken(opened, processEnv) : processEnv;
  return {
    stack,
    env,
    hashWith,
    now: Date.now(),
    from: options.live ? 'live' : snapshot === undefined ? 'declared' : 'snapshot',
    ...(snapshot !== undefined && {
      snapshot: {
        digest,
        maxAge: await secondsOf('--max-age', maxAge),
        file: resolve(cwd, snapshot),
        key: keyFile === undefined ? undefined : await readKeyFile(resolve(cwd, keyFile)),
      },
    }),
    limits: { ...limitsOf(options), ...(onRead && { onRead }) },
  };
}

/** The logs of a command line, and where standard input is. */
export function logsOf(files: readonly string[], { cwd, stdin }: Terminal) {
  return { stdin, files: files.map((file) => (file === '-' ? file : resolve(cwd, file))) };
}

/**
 * Seconds of a duration that an option gives. Not at once: what reads durations takes long to load.
 *
 * @throws GatehouseError `duration_invalid`
 */
export async function secondsOf(option: string, duration: string): Promise<number> {
  const { parseDuration } = await import('@gatehouse/core/graph');
  const seconds = parseDuration(duration);
  if (seconds !== undefined) return seconds;
  throw new GatehouseError('duration_invalid', {
    given: duration,
    allowed: 'days, hours, minutes and seconds, as 36h or 1d12h',
    values: { option },
  });
}

import { afterAll, beforeAll, describe } from '@jest/globals';
import {
  fetchKeycloak,
  type Keycloak,
  startKeycloak,
  startTimeoutMs,
  stopTimeoutMs,
} from './keycloak-server.ts';

/** Why a real Keycloak cannot be had here; undefined where it can. */
const unavailable = await fetchKeycloak().then(
  () => undefined,
  (error: unknown) => {
    const { syscall, path, message, stdout = '' } = error as NodeJS.ErrnoException & { stdout?: string };
    if (syscall?.startsWith('spawn')) return `There is no ${path} on the PATH.`;
    const said = stdout.split('\n').find((line) => line.startsWith('[ERROR]'));
    return `It cannot be fetched or built: ${said ?? message.split('\n')[0]}`;
  },
);
if (unavailable !== undefined) console.warn(`Tests against Keycloak are skipped. ${unavailable}`);

/**
 * A `describe` with one real Keycloak for its tests, started before the first and stopped after the last; `server`
 * answers it and may be called inside tests and hooks only. Without Java 17 and Maven, or where Maven's registry does
 * not have the distribution, the tests are skipped by their names.
 */
export function describeWithKeycloak(name: string, tests: (server: () => Keycloak) => void): void {
  const block = unavailable === undefined ? describe : describe.skip;
  block(name, () => {
    let running: Keycloak | undefined;
    beforeAll(async () => {
      running = await startKeycloak();
    }, startTimeoutMs + 10_000);
    afterAll(() => running?.close(), stopTimeoutMs + 10_000);
    tests(() => {
      if (running === undefined) throw new Error('Keycloak runs only while the tests of this block do');
      return running;
    });
  });
}

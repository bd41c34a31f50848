import { describeRunning } from './describe-running.ts';
import { whyNot } from './fetched.ts';
import { fetchKeycloak, type Keycloak, startKeycloak, startTimeoutMs } from './keycloak-server.ts';

/** Why a real Keycloak cannot be had here; undefined where it can. */
const unavailable = await fetchKeycloak().then(() => undefined, whyNot);
if (unavailable !== undefined) console.warn(`Tests against Keycloak are skipped. ${unavailable}`);

/**
 * A `describe` with one real Keycloak for its tests. Without Java 17 and Maven, or where Maven's registry does not have the
 * distribution, they are skipped by their names.
 */
export function describeWithKeycloak(name: string, tests: (server: () => Keycloak) => void): void {
  describeRunning(name, { start: startKeycloak, unavailable, patienceMs: startTimeoutMs + 10_000 }, tests);
}

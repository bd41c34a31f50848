import { describeRunning } from './describe-running.ts';
import { whyNot } from './fetched.ts';
import { fetchOpenBao, type OpenBao, startOpenBao } from './openbao-server.ts';

/** Why the real server cannot be had here; undefined where it can. */
const unavailable = await fetchOpenBao().then(() => undefined, whyNot);
if (unavailable !== undefined) console.warn(`Tests against OpenBao are skipped. ${unavailable}`);

/** A `describe` with one real OpenBao for its tests; where it cannot be fetched, they are skipped by their names. */
export function describeWithOpenBao(
  name: string,
  tests: (server: () => OpenBao) => void,
  start: () => Promise<OpenBao> = startOpenBao,
): void {
  describeRunning(name, { start, unavailable }, tests);
}

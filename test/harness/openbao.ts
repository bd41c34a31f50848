import { describeRunning } from './describe-running.ts';
import { whyNot } from './fetched.ts';
import { fetchOpenBao, type OpenBao, startOpenBao } from './openbao-server.ts';

/** Why the real server cannot be had here; undefined where it can. */
export const unavailableOpenBao = await fetchOpenBao().then(() => undefined, whyNot);
if (unavailableOpenBao !== undefined)
  console.warn(`Tests against OpenBao are skipped. ${unavailableOpenBao}`);

/** A `describe` with one real OpenBao for its tests; where it cannot be fetched, they are skipped by their names. */
export function describeWithOpenBao(
  name: string,
  tests: (server: () => OpenBao) => void,
  start: () => Promise<OpenBao> = startOpenBao,
): void {
  describeRunning(name, { start, unavailable: unavailableOpenBao }, tests);
}

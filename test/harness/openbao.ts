import { afterAll, beforeAll, describe } from '@jest/globals';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { fetchOpenBao, home, type OpenBao, startOpenBao } from './openbao-server.ts';

/** Why the real server cannot be had here; undefined where it can. */
const unavailable = await fetchOpenBao({ home }).then(
  () => undefined,
  (error: unknown) => {
    if (error instanceof GatehouseError && error.code === 'openbao_unavailable') return error.message;
    throw error;
  },
);
if (unavailable !== undefined) console.warn(`Tests against OpenBao are skipped. ${unavailable}`);

/** Starts a real OpenBao of the test's own, with the binary that all tests share. The test closes it. */
export function startOpenBaoForTests(): Promise<OpenBao> {
  return startOpenBao({ home });
}

/**
 * A `describe` with one real OpenBao for its tests, started before the first and stopped after the last;
 * `server` answers it and may be called inside tests and hooks only. Where OpenBao cannot be fetched, the
 * tests are skipped by their names.
 */
export function describeWithOpenBao(name: string, tests: (server: () => OpenBao) => void): void {
  const block = unavailable === undefined ? describe : describe.skip;
  block(name, () => {
    let running: OpenBao | undefined;
    beforeAll(async () => {
      running = await startOpenBaoForTests();
    });
    afterAll(() => running?.close());
    tests(() => {
      if (running === undefined) throw new Error('OpenBao runs only while the tests of this block do');
      return running;
    });
  });
}

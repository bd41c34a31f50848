import { afterAll, beforeAll } from '@jest/globals';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { type Identity, type IdentityArgs, startIdentity } from '../src/identity-provider/identity.ts';

/** Started before the first test of a file or block, and closed after its last. */
export function running<Started extends { close(): Promise<unknown> }>(
  start: () => Promise<Started>,
): () => Started {
  let started: Started | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.close());
  return () => {
    if (started === undefined) throw new Error('it runs only while the tests of this block do');
    return started;
  };
}

export const runningIdentity = (args?: IdentityArgs): (() => Identity) => running(() => startIdentity(args));

export const runningService = (args?: Parameters<typeof startEmbeddedService>[0]) =>
  running(() => startEmbeddedService(args));

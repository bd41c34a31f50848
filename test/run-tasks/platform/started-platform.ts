import { afterAll, beforeAll } from '@jest/globals';
import type { TestedDatabase } from '../../harness/two-databases.ts';
import { PlatformUnderTest } from './platform-under-test.ts';

/** Starts a platform for the tests of a block, and closes it after them. */
export function startPlatform(databases: TestedDatabase): () => PlatformUnderTest {
  let under: PlatformUnderTest;
  beforeAll(async () => {
    under = await PlatformUnderTest.start(await databases.open());
  });
  afterAll(() => under.close());
  return () => under;
}

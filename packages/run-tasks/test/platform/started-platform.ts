import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { describeOnBothDatabases, type TestedDatabase } from '../../../../test/harness/two-databases.ts';
import { PlatformUnderTest } from './platform-under-test.ts';

/** Tests of one platform, on PGlite and on PostgreSQL. Each begins with a stack, work and an integrator without a past. */
export function describePlatform(
  name: string,
  tests: (under: PlatformUnderTest, databases: TestedDatabase) => void,
): void {
  describeOnBothDatabases(name, (databases) => {
    const under = new PlatformUnderTest();
    beforeAll(async () => under.start(await databases.openDatabase()));
    beforeEach(() => void under.reset());
    afterAll(() => under.close());
    tests(under, databases);
  });
}

import { describeOnPglite } from '../../harness/two-databases.ts';
import { testKilledPlatform } from './killed-platform.ts';

// One point in five; all of them, with more seeds and on PostgreSQL too, are in killed-platform.long.test.ts.
testKilledPlatform(describeOnPglite, [1], 5);

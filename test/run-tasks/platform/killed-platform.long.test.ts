import { describeOnPglite, describeOnPostgres } from '../../harness/two-databases.ts';
import { testKilledPlatform } from './killed-platform.ts';

// PGlite takes three times as long to start as a connection to PostgreSQL.
testKilledPlatform(describeOnPglite, [1]);
testKilledPlatform(describeOnPostgres, [2, 3, 4, 5]);
testKilledPlatform(describeOnPglite, [11, 12, 13]);
testKilledPlatform(describeOnPostgres, [14, 15, 16]);

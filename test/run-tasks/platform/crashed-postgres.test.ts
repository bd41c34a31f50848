import { testPlatformOnCrashedPostgres } from './crashed-postgres.ts';

testPlatformOnCrashedPostgres([1, 2]);

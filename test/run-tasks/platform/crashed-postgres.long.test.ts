import { testPlatformOnCrashedPostgres } from './crashed-postgres.ts';

testPlatformOnCrashedPostgres([1, 2, 11, 12, 13, 14, 15, 16]);

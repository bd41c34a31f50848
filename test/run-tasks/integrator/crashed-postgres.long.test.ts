import { testIntegratorOnCrashedPostgres } from './crashed-postgres.ts';

testIntegratorOnCrashedPostgres([1]);
testIntegratorOnCrashedPostgres([11, 12, 13, 14, 15, 16]);

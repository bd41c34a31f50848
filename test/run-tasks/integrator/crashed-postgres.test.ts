import { testIntegratorOnCrashedPostgres } from './crashed-postgres.ts';

testIntegratorOnCrashedPostgres([1]);

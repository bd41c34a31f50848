import { describeOnPglite, describeOnPostgres } from '../../harness/two-databases.ts';
import { testKilledIntegrator } from './killed-integrator.ts';

// PGlite takes three times as long to start as a connection to PostgreSQL.
testKilledIntegrator(describeOnPglite, [1]);
testKilledIntegrator(describeOnPostgres, [2, 3, 4, 5]);
testKilledIntegrator(describeOnPglite, [11, 12, 13]);
testKilledIntegrator(describeOnPostgres, [14, 15, 16]);

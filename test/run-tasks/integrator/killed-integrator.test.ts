import { describeOnPglite } from '../../harness/two-databases.ts';
import { testKilledIntegrator } from './killed-integrator.ts';

// One point in five; all of them, with more seeds and on PostgreSQL too, are in killed-integrator.long.test.ts.
testKilledIntegrator(describeOnPglite, [1], 5);

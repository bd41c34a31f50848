import { testKilledIntegrator } from './killed-integrator.ts';

// Five kills at each point; PGlite takes three times as long to start as a connection to PostgreSQL.
testKilledIntegrator({ pglite: [1], postgres: [2, 3, 4, 5] });

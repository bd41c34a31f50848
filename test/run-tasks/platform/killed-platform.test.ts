import { testKilledPlatform } from './killed-platform.ts';

// Five kills at each point; PGlite takes three times as long to start as a connection to PostgreSQL.
testKilledPlatform({ pglite: [1], postgres: [2, 3, 4, 5] });

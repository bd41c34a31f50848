import { testKilledIntegrator } from './killed-integrator.ts';

// 15 kills a seed.
testKilledIntegrator({ pglite: [11, 12, 13], postgres: [14, 15, 16] });

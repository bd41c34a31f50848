import { testKilledIntegrator } from './killed-integrator.ts';

testKilledIntegrator([1, 2, 3, 4, 5], ['pglite']);

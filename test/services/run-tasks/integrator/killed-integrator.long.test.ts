import { testKilledIntegrator } from './killed-integrator.ts';

// 150 kills on each database.
testKilledIntegrator(
  Array.from({ length: 10 }, (_, index) => index + 1),
  ['pglite', 'postgres'],
);

import { testConvergence } from './convergence.ts';

// The first cases; all of them are in convergence.long.test.ts.
testConvergence(0.2);

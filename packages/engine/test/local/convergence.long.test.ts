import { testConvergence } from './convergence.ts';

testConvergence(1);

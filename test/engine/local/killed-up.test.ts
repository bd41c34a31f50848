import { testKilledUp } from './killed-up.ts';

testKilledUp([1, 2, 3, 4, 5]);

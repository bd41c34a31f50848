import { testKilledUp } from './killed-up.ts';

testKilledUp(Array.from({ length: 30 }, (_, index) => index + 1));

import { testInterleavings } from './interleavings.ts';

// Three workers, which take ten times as long, are in interleavings.long.test.ts.
testInterleavings(2, 100);

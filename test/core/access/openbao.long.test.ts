import { testPaths } from './replayed-paths.ts';

testPaths(1_000);

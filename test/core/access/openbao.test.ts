import { testPaths } from './replayed-paths.ts';

testPaths(50);

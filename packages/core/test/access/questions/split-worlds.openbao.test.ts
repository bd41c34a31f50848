import { testSplitWorlds } from './split-worlds.ts';

testSplitWorlds(20_261_124, 1);

import { testSplitWorlds } from './split-worlds.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_125);
const worlds = Number(process.env['GATEHOUSE_WORLDS'] ?? 60);
testSplitWorlds(seed, worlds);

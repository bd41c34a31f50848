import { testKilledPlatform } from './killed-platform.ts';

// 21 kills a seed.
testKilledPlatform({ pglite: [11, 12, 13], postgres: [14, 15, 16] });

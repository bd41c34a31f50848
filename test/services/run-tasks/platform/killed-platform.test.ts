import { testKilledPlatform } from './killed-platform.ts';

testKilledPlatform([1, 2, 3, 4, 5]);

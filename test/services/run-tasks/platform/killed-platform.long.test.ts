import { testKilledPlatform } from './killed-platform.ts';

testKilledPlatform([11, 12, 13, 14, 15, 16, 17]);

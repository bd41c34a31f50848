import { testStalledGate } from './stalled-gate.ts';

testStalledGate([3000, 9000]);

import { testStalledGate } from './stalled-gate.ts';

testStalledGate([3000]);

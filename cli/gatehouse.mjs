#!/usr/bin/env node
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// Plain JavaScript, so that a Node too old for TypeScript fails with one clear line.
if (!process.features.typescript) {
  console.error(
    `error: Gatehouse needs Node 22.18 or newer, and this is ${process.version}.\n` +
      '  npx gatehouse and npm start use the one that the project brings along.',
  );
  process.exit(1);
}
// Keeps the heap's young generation at its first size and lets the old one grow by half at a time: 120 MB less at 1,000
// roles, and hardly slower (bench/README.md). Not for long-running servers. Set before the cache, which depends on flags.
const lean = ['dev', 'review', 'preview', 'up', 'refresh', 'destroy'];
if (lean.includes(process.argv[2] ?? '')) {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
// Where it cannot be written there is no cache, without a message; a start then takes 0.3 s longer.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/gatehouse', import.meta.url)));
await import('./gatehouse.ts');

#!/usr/bin/env node
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

// Plain JavaScript, so that a Node too old for the rest says so in a line instead of failing to read it.
if (!process.features.typescript) {
  console.error(
    `error: Gatehouse needs Node 22.18 or newer, and this is ${process.version}.\n` +
      '  npx gatehouse and npm start use the one that the project brings along.',
  );
  process.exit(1);
}
// Where it cannot be written there is none, and nothing is said; a start then takes 0.3 s longer.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/gatehouse', import.meta.url)));
await import('./gatehouse.ts');

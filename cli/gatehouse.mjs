#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the rest says so in a line instead of failing to read it.
if (!process.features.typescript) {
  console.error(
    `error: Gatehouse needs Node 22.18 or newer, and this is ${process.version}.\n` +
      '  npx gatehouse and npm start use the one that the project brings along.',
  );
  process.exit(1);
}
await import('./gatehouse.ts');

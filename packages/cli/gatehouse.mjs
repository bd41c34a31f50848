#!/usr/bin/env node
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// Plain JavaScript, so that a Node too old for TypeScript fails with one clear line.
const isInstalled = /\/node_modules\/gatehouse-login\/dist\/packages\/cli\/[^/]+$/.test(import.meta.url);
if (!process.features.typescript) {
  const fix = isInstalled
    ? 'Install a newer one: https://nodejs.org/en/download'
    : 'npx gatehouse and npm start use the Node of this project.';
  console.error(
    `error: Gatehouse needs a Node that runs TypeScript: 22.18 or newer, with type stripping on. This is ${process.version}.\n  ${fix}`,
  );
  process.exit(1);
}
// The kernel gives the first process of a container no default for a signal: without a listener, it would live on.
if (process.pid === 1) {
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
}
// Keeps the heap's young generation at its first size and lets the old one grow by half at a time: 120 MB less at 1,000
// roles, and hardly slower (packages/bench/README.md). Not for long-running servers. Set before the cache, which depends
// on flags.
const lean = [
  'dev',
  'review',
  'preview',
  'up',
  'refresh',
  'destroy',
  'snapshot',
  'who-can',
  'usage',
  'explain',
  'report',
];
if (lean.includes(process.argv[2] ?? '')) {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
// A proxy of the machine is not for the machine itself: gRPC and fetch would look for loopback behind it.
const { no_proxy, NO_PROXY } = process.env;
const direct = [no_proxy || NO_PROXY, '127.0.0.1', 'localhost', '::1'].filter(Boolean).join(',');
Object.assign(process.env, { no_proxy: direct, NO_PROXY: direct });
// Where it cannot be written there is no cache, without a message; a start then takes 0.3 s longer.
const packages = new URL(isInstalled ? '../../../../' : '../../node_modules/', import.meta.url);
module.enableCompileCache(fileURLToPath(new URL('.cache/gatehouse', packages)));
await import('./src/gatehouse.ts');

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
// roles, which have to fit into 500 MB together with their program (packages/bench/README.md). It costs a fifth of the time, so
// commands that stay below that without it go without. Set before the cache, which depends on flags.
const lean = ['preview', 'up', 'refresh', 'destroy', 'snapshot', 'who-can', 'usage', 'explain', 'report'];
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
// Two things that Node need not look for, which take a fifth of a start: our own files are where their names say, and of zod's
// messages in 60 languages, only English is used, which is loaded by itself.
const ownPackages = new URL('../', import.meta.url).href;
const ownFormat = import.meta.url.includes('/dist/packages/') ? 'module' : 'module-typescript';
const ownFile = ownFormat === 'module' ? /^\.\.?\/.*\.js$/ : /^\.\.?\/.*\.ts$/;
module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (parentURL.startsWith(ownPackages) && ownFile.test(specifier)) {
      return { url: new URL(specifier, parentURL).href, format: ownFormat, shortCircuit: true };
    }
    if (specifier.endsWith('/locales/index.js') && parentURL.includes('/node_modules/zod/')) {
      return { url: 'data:text/javascript,', format: 'module', shortCircuit: true };
    }
    return next(specifier, context);
  },
});
await import('./src/gatehouse.ts');

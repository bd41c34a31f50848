#!/usr/bin/env node
// `npm create gatehouse` runs this: `gatehouse new`, with what stands after `--`.
process.argv.splice(2, 0, 'new');
await import(new URL('../cli/gatehouse.mjs', import.meta.resolve('gatehouse-login')).href);

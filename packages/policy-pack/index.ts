import { readFileSync } from 'node:fs';
import { PolicyPack } from './policy-pack.ts';
import { servePack } from './serve.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

// The engine reads the port from the first line of output.
servePack(new PolicyPack(process.env), version).then(
  (port) => console.log(String(port)),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);

import packageJson from './package.json' with { type: 'json' };
import { PolicyPack } from './policy-pack.ts';
import { servePack } from './serve.ts';

// The engine reads the port from the first line of output.
servePack(new PolicyPack(process.env), packageJson.version).then(
  (port) => console.log(String(port)),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);

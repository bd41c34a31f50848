import { programHosts } from './programs/hosts.ts';

const preloaded = (file: string) =>
  `--stack-trace-limit=2 --import=${new URL(`../../${file}`, import.meta.url).href}`;

/**
 * Variables of the programs that an engine runs for tests, all from one cache. In `npm test`, they are handed to processes
 * that have the SDK loaded; in `npm run test:long` each has its own process, which loads the SDK as this project's own
 * program does, with short stack traces (docs/adr/0005-lean-sdk.md).
 */
export const programEnv: NodeJS.ProcessEnv = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  ...(process.env['GATEHOUSE_LONG']
    ? { NODE_OPTIONS: preloaded('packages/engine/src/local/lean-executor.ts') }
    : {
        NODE_OPTIONS: preloaded('test/harness/programs/to-host.mjs'),
        GATEHOUSE_PROGRAM_HOSTS: programHosts,
      }),
};

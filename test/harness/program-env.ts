/**
 * Variables of the programs that an engine runs for tests. They load the SDK as this project's own program does, with short
 * stack traces (docs/adr/0005-lean-sdk.md), all from one cache: half the processor time.
 */
export const programEnv: NodeJS.ProcessEnv = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  NODE_OPTIONS: `--stack-trace-limit=2 --import=${new URL('../../packages/engine/src/local/lean-executor.ts', import.meta.url).href}`,
};

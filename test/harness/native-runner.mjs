import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processorSeconds } from './processor-time.ts';
import { record, recordPart } from './real-parts.ts';
import { timeProcesses } from './timed-processes.ts';

const require = createRequire(import.meta.url);
/** Jest's own runner of tests, which it would load once more for each file. */
const circus = join(require.resolve('jest-circus/package.json'), '../build/jestAdapterInit.js');

timeProcesses();
// From its own start to its first file; a worker that has grown too large is started again.
recordPart('worker of jest', 0);

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier === '@jest/globals' ? new URL('native-globals.mjs', import.meta.url).href : specifier,
      context,
    ),
});

/**
 * Runs the tests of a file with jest's own functions, loaded by Node itself: TypeScript runs as it is, and what one file
 * has loaded and compiled, the next one of the worker has, too. Jest would give each file modules of its own, for twice
 * the processor time. So tests restore what they change of a module; the environment's variables and the console are
 * restored here.
 *
 * @type {import('jest-runner').TestFileRunner}
 */
export default async function run(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  // Its state, and who listens to its events, are of one file.
  delete require.cache[circus];
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  const { initialize, runAndTransformResultsToJestFormat } = require(circus);
  const before = {
    env: { ...process.env },
    console: globalThis.console,
    processor: processorSeconds(),
  };
  globalThis.console = environment.global.console;
  try {
    await initialize({
      config,
      environment,
      runtime,
      globalConfig,
      localRequire: require,
      parentProcess: process,
      sendMessageToJest,
      setGlobalsForRuntime(globals) {
        globalThis.jestGlobals = globals;
      },
      testPath,
    });
    await import(pathToFileURL(testPath).href);
    return await runAndTransformResultsToJestFormat({ config, globalConfig, testPath });
  } finally {
    globalThis.console = before.console;
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before.env);
    const processor = processorSeconds();
    if (processor !== undefined) record({ file: testPath, processor: processor - before.processor });
  }
}

// What a test file, and what it imports, gets for `@jest/globals`: the functions of the file that runs.

const current = (name) =>
  new Proxy(() => {}, {
    apply: (_, self, given) => Reflect.apply(globalThis.jestGlobals[name], self, given),
    get: (_, property) => globalThis.jestGlobals[name][property],
  });

export const [describe, test, it, beforeAll, beforeEach, afterAll, afterEach] = [
  'describe',
  'test',
  'it',
  'beforeAll',
  'beforeEach',
  'afterAll',
  'afterEach',
].map(current);
/** The same for all files. */
export const { expect } = globalThis.jestGlobals;

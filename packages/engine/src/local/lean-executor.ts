/**
 * Preloaded into the process of this project's own program, before the SDK's executor. At its start the SDK loads
 * TypeScript's compiler and npm's dependency tree, which it only needs to serialize functions. Loading them on first
 * use saves 50 MB and a third of a second (packages/bench/README.md).
 */
import Module, { createRequire } from 'node:module';

/** The packages, and the properties that importing code reads; these do not load the package. */
const unneeded: Record<string, Record<PropertyKey, unknown>> = {
  typescript: {},
  '@npmcli/arborist': { __esModule: true },
};

const [, executor = ''] = process.argv;
const require = createRequire(executor);
for (const [name, known] of Object.entries(unneeded)) {
  try {
    putOff(require.resolve(name), known);
  } catch {
    // An SDK without this package does not load it either.
  }
}

function putOff(path: string, known: Record<PropertyKey, unknown>): void {
  const stand = new Module(path);
  let real: object | undefined;
  const load = (): object => {
    if (real === undefined) {
      if (require.cache[path] === stand) Reflect.deleteProperty(require.cache, path);
      real = require(path) as object;
    }
    return real;
  };
  stand.filename = path;
  stand.loaded = true;
  // A proxy of a bound function can be called and constructed, and has no fixed properties.
  stand.exports = new Proxy((() => {}).bind(undefined), {
    get: (_, name) => (Object.hasOwn(known, name) ? known[name] : Reflect.get(load(), name)),
    set: (_, name, value) => Reflect.set(load(), name, value),
    has: (_, name) => Reflect.has(load(), name),
    ownKeys: () => Reflect.ownKeys(load()),
    getOwnPropertyDescriptor: (_, name) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(load(), name);
      return descriptor && { ...descriptor, configurable: true };
    },
    apply: (_, self, given) => Reflect.apply(load() as () => unknown, self, given),
    construct: (_, given) => Reflect.construct(load() as new () => object, given),
  });
  require.cache[path] = stand;
}

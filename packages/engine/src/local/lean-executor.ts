/**
 * Preloaded into the process of this project's own program, before the SDK's executor. At its start the SDK loads TypeScript's
 * compiler and npm's dependency tree, which it only needs to serialize functions, what it needs to trace itself, and its
 * automation API. Loading them on first use saves 50 MB and half a second (packages/bench/README.md).
 */
import Module, { createRequire } from 'node:module';

interface PutOff {
  /** Properties that importing code reads; these do not load the module. */
  known?: Record<PropertyKey, unknown>;
  /** Functions and classes that importing code takes out of it, and calls later or never. */
  functions?: string[];
}

const unneeded: Record<string, PutOff> = {
  typescript: {},
  '@npmcli/arborist': { known: { __esModule: true } },
  'normalize-package-data': { known: { __esModule: undefined } },
  '@pulumi/pulumi/automation': { known: { __esModule: true } },
  '@opentelemetry/exporter-zipkin': { functions: ['ZipkinExporter'] },
  '@opentelemetry/instrumentation': { functions: ['registerInstrumentations'] },
  '@opentelemetry/instrumentation-grpc': { functions: ['GrpcInstrumentation'] },
  '@opentelemetry/resources': { functions: ['defaultResource', 'resourceFromAttributes'] },
  '@opentelemetry/sdk-trace-base': { functions: ['SimpleSpanProcessor'] },
  '@opentelemetry/sdk-trace-node': { functions: ['NodeTracerProvider'] },
  // Loading it maps every stack trace: for the first resource it reads the maps of the SDK's files. Programs that this Node runs
  // have no maps.
  'source-map-support/register': {},
};

const [, executor = ''] = process.argv;
const require = createRequire(executor);
for (const [name, how] of Object.entries(unneeded)) {
  try {
    putOff(require.resolve(name), how);
  } catch {
    // An SDK without this module does not load it either.
  }
}

function putOff(path: string, { known = {}, functions = [] }: PutOff): void {
  const stand = new Module(path);
  let real: object | undefined;
  const load = (): object => {
    if (real === undefined) {
      if (require.cache[path] === stand) Reflect.deleteProperty(require.cache, path);
      real = require(path) as object;
    }
    return real;
  };
  for (const name of functions) known[name] = standingFor(() => Reflect.get(load(), name) as object);
  stand.filename = path;
  stand.loaded = true;
  stand.exports = standingFor(load, known);
  require.cache[path] = stand;
}

/**
 * Stands for a module or a function until it is used. The target is a bound class, which can be called and constructed and
 * has no fixed properties.
 */
function standingFor(load: () => object, known: Record<PropertyKey, unknown> = {}): object {
  return new Proxy(class {}.bind(undefined), {
    get: (_, name) => (Object.hasOwn(known, name) ? known[name] : Reflect.get(load(), name)),
    set: (_, name, value) => Reflect.set(load(), name, value),
    has: (_, name) => Reflect.has(load(), name),
    ownKeys: () => Reflect.ownKeys(load()),
    getOwnPropertyDescriptor: (_, name) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(load(), name);
      return descriptor && { ...descriptor, configurable: true };
    },
    apply: (_, self, args) => Reflect.apply(load() as () => unknown, self, args),
    construct: (_, args) => Reflect.construct(load() as new () => object, args),
  });
}

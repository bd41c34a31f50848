import { createRequire } from 'node:module';
import * as pulumi from '@pulumi/pulumi';

/**
 * Versions of the SDK that the program was run with. Their functions in question are the same to the letter; a test runs the
 * oldest and the newest (test/stacks/sdk-versions.long.test.ts).
 */
export const testedVersions = Array.from({ length: 11 }, (_, index) => `3.${260 + index}.0`);

/**
 * Makes the SDK create the output of a resource's property when it is first read. Otherwise it creates all of them at
 * once, each with a dozen promises: a role has 38 properties, and a program reads none (packages/bench/README.md).
 *
 * The SDK's modules call each other through their exports, so a function can be replaced (pulumi/pulumi
 * `sdk/nodejs/runtime/rpc.ts`, `transferProperties`). A property that no one reads is never created, so it
 * cannot stay pending; the registration of its resource reports what went wrong.
 *
 * With a version that is not among `testedVersions`, the first resource is left to the SDK and watched. Where anything is not
 * as expected, everything stays as the SDK does it, and `say` is told once. Never throws.
 *
 * @returns what must be given the first resource that is made afterwards, and awaited before others are made
 */
export function lazyProperties(
  load: () => Sdk = installedSdk,
  say: (line: string) => void = (line) => void pulumi.log.info(line),
): (first: object) => Promise<void> {
  const off = (error: unknown, prefix = '') => {
    const why = prefix + (error instanceof Error ? error.message : String(error));
    say(`outputs are created that nobody reads; this takes time and memory, and nothing else: ${why}`);
  };
  try {
    const { version, rpc } = load();
    const original = rpc.transferProperties;
    expected(typeof original === 'function', `@pulumi/pulumi ${version} has no function transferProperties`);
    if (testedVersions.includes(version)) {
      rpc.transferProperties = lazily(original);
      return async () => {};
    }
    const trial: Trial = { called: new Set(), allCalled: Promise.withResolvers() };
    rpc.transferProperties = watched(original, trial);
    return async (first) => {
      try {
        await passed(trial, first);
        rpc.transferProperties = lazily(original);
      } catch (error) {
        off(error, `@pulumi/pulumi ${version} is not known here, and `);
      }
    };
  } catch (error) {
    off(error);
    return async () => {};
  }
}

function lazily(transfer: Transfer): Transfer {
  return (resource, label, properties) => {
    const resolvers: Record<string, Resolve> = {};
    for (const [name, value] of Object.entries(properties)) {
      // The SDK sets these two itself.
      if (name === 'id' || name === 'urn') continue;
      if (Object.hasOwn(resource, name)) throw new Error(`property ${name} of ${label} already exists`);
      const make = () => transfer(resource, label, { [name]: value })[name] ?? (() => {});
      resolvers[name] = defineLazily(resource, name, make);
    }
    return resolvers;
  };
}

/** Defines a property that `make` creates on first read. Its value may be known before that. */
function defineLazily(resource: object, name: string, make: () => Resolve): Resolve {
  let resolve: Resolve | undefined;
  let resolution: Parameters<Resolve> | undefined;
  const define = (descriptor: PropertyDescriptor) =>
    Object.defineProperty(resource, name, { configurable: true, enumerable: true, ...descriptor });
  define({
    get() {
      Reflect.deleteProperty(resource, name);
      resolve = make();
      if (resolution !== undefined) resolve(...resolution);
      return Reflect.get(resource, name);
    },
    set: (value) => define({ value, writable: true }),
  });
  return (...given) => {
    resolution = given;
    resolve?.(...given);
  };
}

/** What was seen of the first resource. */
interface Trial {
  given?: unknown[];
  resolvers?: unknown;
  /** Names of the properties whose resolvers were called. */
  called: Set<string>;
  allCalled: { promise: Promise<void>; resolve(): void };
}

/** Does what the SDK does, and notes what it does with the first resource. */
function watched(transfer: Transfer, trial: Trial): Transfer {
  return (...given) => {
    const resolvers = transfer(...given);
    if (trial.given !== undefined) return resolvers;
    Object.assign(trial, { given, resolvers });
    if (!areResolvers(resolvers)) return resolvers;
    return Object.fromEntries(
      Object.entries(resolvers).map(([name, resolve]) => [
        name,
        (...resolution) => {
          trial.called.add(name);
          if (trial.called.size === Object.keys(resolvers).length) trial.allCalled.resolve();
          return resolve(...resolution);
        },
      ]),
    );
  };
}

/** @throws Error which says what is not as expected */
async function passed({ given, resolvers, called, allCalled }: Trial, first: object): Promise<void> {
  expected(given !== undefined, 'its transferProperties is not called through its exports');
  const [resource, label, properties, ...more] = given;
  const isCalledAsKnown = resource === first && typeof label === 'string' && more.length === 0;
  expected(isCalledAsKnown && typeof properties === 'object', 'its transferProperties takes other arguments');
  const names = Object.keys(properties ?? {}).filter((name) => name !== 'id' && name !== 'urn');
  expected(
    areResolvers(resolvers) && names.length > 0 && names.every((name) => Object.hasOwn(resolvers, name)),
    'its transferProperties returns something else',
  );
  const outputs = names.map((name) => Object.getOwnPropertyDescriptor(first, name)?.value as unknown);
  expected(outputs.every(pulumi.Output.isInstance), 'its transferProperties makes something else');
  // The SDK made them, so it settles them; but not where the engine is gone.
  const settled = Promise.allSettled(outputs.map((output) => (output as unknown as Settled).promise()));
  await Promise.race([settled, allCalled.promise]);
  expected(
    names.every((name) => called.has(name)),
    'it resolves outputs in another way',
  );
}

function areResolvers(resolvers: unknown): resolvers is Record<string, Resolve> {
  return (
    typeof resolvers === 'object' &&
    resolvers !== null &&
    Object.getPrototypeOf(resolvers) === Object.prototype &&
    Object.values(resolvers).every((resolve) => typeof resolve === 'function')
  );
}

function expected(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

function installedSdk(): Sdk {
  const require = createRequire(import.meta.url);
  return {
    version: require('@pulumi/pulumi/package.json').version,
    rpc: require('@pulumi/pulumi/runtime/rpc.js'),
  };
}

type Resolve = (...resolution: unknown[]) => void;

/** From the SDK's `runtime/rpc.ts`: puts outputs on a resource and returns the functions that resolve them. */
type Transfer = (
  resource: object,
  label: string,
  properties: Record<string, unknown>,
) => Record<string, Resolve>;

interface Sdk {
  version: string;
  rpc: { transferProperties: Transfer };
}

/** An output, with what its type hides. */
interface Settled {
  promise(): Promise<unknown>;
}

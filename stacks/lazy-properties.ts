import { createRequire } from 'node:module';
import * as pulumi from '@pulumi/pulumi';

/**
 * Versions of the SDK that the program was run with. Their functions in question are the same to the letter; a test
 * runs the oldest and the newest (test/stacks/sdk-versions.long.test.ts).
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
 * With a version that is not among `testedVersions`, everything stays as the SDK does it.
 */
export function lazyProperties(
  load: (name: string) => unknown = createRequire(import.meta.url),
  say: (line: string) => void = (line) => void pulumi.log.info(line),
): void {
  const { version } = load('@pulumi/pulumi/package.json') as { version: string };
  if (!testedVersions.includes(version)) {
    say(
      `Outputs are created that no one reads: @pulumi/pulumi ${version} is not known here. Only time is lost.`,
    );
    return;
  }
  const rpc = load('@pulumi/pulumi/runtime/rpc.js') as { transferProperties: Transfer };
  rpc.transferProperties = lazily(rpc.transferProperties);
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
  return (...args) => {
    resolution = args;
    resolve?.(...args);
  };
}

type Resolve = (...resolution: unknown[]) => void;

/** From the SDK's `runtime/rpc.ts`: puts outputs on a resource and returns the functions that resolve them. */
type Transfer = (
  resource: object,
  label: string,
  properties: Record<string, unknown>,
) => Record<string, Resolve>;

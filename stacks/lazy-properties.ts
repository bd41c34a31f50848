import { createRequire } from 'node:module';

/**
 * Has the SDK make the output of a resource's property when it is first read. It makes all of them at once
 * otherwise, each a dozen promises: a role has 38 properties, of which a program reads none (bench/README.md).
 *
 * The SDK's modules call each other through their exports, so that a function can be put in place of another
 * (pulumi/pulumi `sdk/nodejs/runtime/rpc.ts`, `transferProperties`). A property that nobody reads cannot be left
 * unsettled either; the registration of its resource says what went wrong.
 */
export function lazyProperties(): void {
  const rpc: PropertyTransfer = createRequire(import.meta.url)('@pulumi/pulumi/runtime/rpc.js');
  const transfer = rpc.transferProperties;
  rpc.transferProperties = (resource, label, properties) => {
    const resolvers: Record<string, Resolve> = {};
    for (const [name, value] of Object.entries(properties)) {
      // The SDK sets these two itself.
      if (name === 'id' || name === 'urn') continue;
      if (Object.hasOwn(resource, name)) {
        throw new Error(`property ${name} of ${label} is already there`);
      }
      resolvers[name] = defineLazily(resource, name, () => {
        const resolve = transfer(resource, label, { [name]: value })[name];
        return resolve ?? (() => {});
      });
    }
    return resolvers;
  };
}

/** Defines a property that `make` makes when it is first read. What it resolves to may be known before. */
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

type Resolve = (...resolution: unknown[]) => void;

/** Of the SDK's `runtime/rpc.ts`: puts outputs on a resource and answers with what settles them. */
interface PropertyTransfer {
  transferProperties(
    resource: object,
    label: string,
    properties: Record<string, unknown>,
  ): Record<string, Resolve>;
}

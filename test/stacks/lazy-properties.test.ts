import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import { lazyProperties, testedVersions } from '../../stacks/lazy-properties.ts';

const rpc = createRequire(import.meta.url)('@pulumi/pulumi/runtime/rpc.js');
const original = rpc.transferProperties;

describe('lazyProperties (pulumi/pulumi sdk/nodejs/runtime/rpc.ts, transferProperties)', () => {
  afterEach(() => {
    rpc.transferProperties = original;
  });

  /** A resource's properties as the SDK defines them, and how often it made an output. */
  function transferred(properties: Record<string, unknown>) {
    const made: string[] = [];
    rpc.transferProperties = (...args: [object, string, Record<string, unknown>]) => {
      made.push(...Object.keys(args[2]));
      return original(...args);
    };
    lazyProperties();
    const resource: Record<string, any> = { __pulumiResource: true };
    const resolvers = rpc.transferProperties(resource, 'resource', properties);
    return { resource, resolvers, made };
  }

  test('makes no output before a property is read, and then one', () => {
    const { resource, made } = transferred({ a: 1, b: undefined });
    expect(made).toEqual([]);
    expect(pulumi.Output.isInstance(resource['a'])).toBe(true);
    expect(resource['a']).toBe(resource['a']);
    expect(made).toEqual(['a']);
  });

  test.each(['before', 'after'])(
    'a property read %s its resource is registered has its value',
    async (when) => {
      const { resource, resolvers } = transferred({ a: 1 });
      const early = when === 'before' ? resource['a'] : undefined;
      resolvers.a('value', true, true);
      const output = early ?? resource['a'];
      expect(await output.promise()).toBe('value');
      expect(await output.isSecret).toBe(true);
      expect(output.resources()).toEqual(new Set([resource]));
    },
  );

  test('a property can be assigned, and is listed with the others', () => {
    const { resource } = transferred({ id: 'x', a: 1 });
    expect(Object.keys(resource)).toEqual(['__pulumiResource', 'a']);
    resource['a'] = 'own';
    expect(resource['a']).toBe('own');
  });
});

describe('lazyProperties with an SDK that nobody has tried', () => {
  type Rpc = Record<string, any>;
  interface Shape {
    /** What the SDK's own functions are replaced by. */
    rpc?: (own: Rpc) => Rpc;
    /** Whom the resource's module calls. Defaults to what `rpc.js` exports at that time. */
    transferOf?: (rpc: Rpc, own: Rpc) => (...args: any[]) => any;
    /** How a registration ends. Defaults to calling all resolvers. */
    end?: (resolvers: any, resource: Rpc) => void;
  }

  /** A program with two resources, on an SDK of that shape. */
  async function program({
    rpc: change = (own) => own,
    transferOf = (rpc) => rpc['transferProperties'],
    end,
  }: Shape) {
    const own: Rpc = { transferProperties: original };
    const rpc = change({ ...own });
    const lines: string[] = [];
    const tried = lazyProperties(
      () => ({ version: '3.999.0', rpc: rpc as any }),
      (line) => lines.push(line),
    );
    const make = () => {
      const resource: Rpc = { __pulumiResource: true };
      const resolvers = transferOf(rpc, own)?.(resource, 'resource', { id: 'x', a: 1, b: 2 });
      queueMicrotask(() => (end ?? callAll)(resolvers, resource));
      return resource;
    };
    const first = make();
    await tried(first);
    const second = make();
    const isLazy = Object.getOwnPropertyDescriptor(second, 'a')?.get !== undefined;
    return { first, second, lines, isLazy };
  }
  const callAll = (resolvers: any) => {
    for (const name of Object.keys(resolvers ?? {})) resolvers[name]?.(`value of ${name}`, true, false, []);
  };

  test('is on after the first resource, which the SDK makes as ever', async () => {
    const { first, second, lines, isLazy } = await program({});
    expect([isLazy, lines]).toEqual([true, []]);
    expect(await first['a'].promise()).toBe('value of a');
    expect(await second['b'].promise()).toBe('value of b');
  });

  test('is on where the first registration fails', async () => {
    const fail = (resolvers: any) => {
      for (const name of ['a', 'b']) resolvers[name](undefined, true, false, [], { code: 14, details: '' });
    };
    const { lines, isLazy } = await program({ end: fail });
    expect([isLazy, lines]).toEqual([true, []]);
  });

  const outputs = (resource: Rpc) => resource['outputs'];
  test.each<[string, RegExp, Shape]>([
    [
      'the function is missing',
      /has no function/,
      { rpc: () => ({}), transferOf: (_, own) => own['transferProperties'] },
    ],
    ['its exports are frozen', /read only/, { rpc: (own) => Object.freeze(own) }],
    [
      'its export has only a getter',
      /only a getter/,
      {
        rpc: (own) =>
          Object.defineProperty({}, 'transferProperties', { get: () => own['transferProperties'] }),
      },
    ],
    ['it is an ES module', /read only/, { rpc: () => import('./sdk-as-es-module.ts') as any }],
    [
      'its modules do not call each other through their exports',
      /not called through its exports/,
      { transferOf: (_, own) => own['transferProperties'] },
    ],
    [
      'the function takes another argument',
      /takes other arguments/,
      {
        transferOf: (rpc) => (resource, label, properties) =>
          rpc['transferProperties'](resource, label, properties, {}),
      },
    ],
    [
      'the function takes one object',
      /takes other arguments/,
      {
        rpc: () => ({
          transferProperties: ({ resource, label, properties }: any) => original(resource, label, properties),
        }),
        transferOf: (rpc) => (resource, label, properties) =>
          rpc['transferProperties']({ resource, label, properties }),
      },
    ],
    [
      'the function returns a map',
      /returns something else/,
      {
        rpc: () => ({
          transferProperties: (...args: [any, any, any]) => new Map(Object.entries(original(...args))),
        }),
        end: (resolvers: Map<string, any>) => callAll(Object.fromEntries(resolvers)),
      },
    ],
    [
      'properties are kept elsewhere',
      /makes something else/,
      {
        rpc: () => ({
          transferProperties: (resource: any, ...args: [any, any]) => {
            resource.outputs = { __pulumiResource: true };
            return original(outputs(resource), ...args);
          },
        }),
      },
    ],
    [
      'resolvers are not called',
      /resolves outputs in another way/,
      {
        rpc: () => ({
          transferProperties: (resource: any, label: any, properties: any) => {
            const resolvers = original(resource, label, properties);
            resource.settle = () => callAll(resolvers);
            return Object.fromEntries(Object.keys(resolvers).map((name) => [name, () => {}]));
          },
        }),
        end: (_, resource) => resource['settle'](),
      },
    ],
  ])('is off, with one line, where %s', async (_, why, { rpc, ...shape }) => {
    // An ES module is loaded with `import`, and so its exports are here before.
    const made = rpc === undefined ? undefined : await rpc({ transferProperties: original });
    const { second, lines, isLazy } = await program({ ...shape, ...(made && { rpc: () => made }) });
    expect(isLazy).toBe(false);
    expect(lines).toEqual([expect.stringMatching(why)]);
    expect(await (second['outputs'] ?? second)['a'].promise()).toBe('value of a');
  });

  test('is off where the SDK cannot be loaded', async () => {
    const lines: string[] = [];
    const load = () => {
      throw new Error("Package subpath './runtime/rpc.js' is not defined");
    };
    await lazyProperties(load, (line) => lines.push(line))({});
    expect(lines).toEqual([expect.stringContaining('is not defined')]);
  });

  test('is on at once with a version that was tried', () => {
    const rpc = { transferProperties: original };
    for (const version of testedVersions) {
      rpc.transferProperties = original;
      lazyProperties(() => ({ version, rpc }), fail);
      const resource: Rpc = {};
      rpc.transferProperties(resource, 'resource', { a: 1 });
      expect(Object.getOwnPropertyDescriptor(resource, 'a')?.get).toBeDefined();
    }
  });

  test('knows the version that is pinned here', () => {
    const { version } = createRequire(import.meta.url)('@pulumi/pulumi/package.json');
    expect(testedVersions).toContain(version);
  });
});

function fail(line: string): never {
  throw new Error(line);
}

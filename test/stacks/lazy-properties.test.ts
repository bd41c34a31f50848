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
    const read: string[] = [];
    rpc.transferProperties = (...args: [object, string, Record<string, unknown>]) => {
      read.push(...Object.keys(args[2]));
      return original(...args);
    };
    lazyProperties();
    const resource: Record<string, any> = { __pulumiResource: true };
    const resolvers = rpc.transferProperties(resource, 'resource', properties);
    return { resource, resolvers, read };
  }

  test('makes no output before a property is read, and then one', () => {
    const { resource, read } = transferred({ a: 1, b: undefined });
    expect(read).toEqual([]);
    expect(pulumi.Output.isInstance(resource['a'])).toBe(true);
    expect(resource['a']).toBe(resource['a']);
    expect(read).toEqual(['a']);
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

test('a version of the SDK that was not tried is left as it is, with one line', () => {
  const lines: string[] = [];
  lazyProperties(
    () => ({ version: '3.999.0' }),
    (line) => lines.push(line),
  );
  expect(rpc.transferProperties).toBe(original);
  expect(lines).toEqual([expect.stringContaining('@pulumi/pulumi 3.999.0')]);
});

test('knows the version that is pinned here', () => {
  const { version } = createRequire(import.meta.url)('@pulumi/pulumi/package.json');
  expect(testedVersions).toContain(version);
});
